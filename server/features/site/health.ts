import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'

/** Many monitors use HEAD. */
const alsoHead = { exposeHeadRoute: true }

/** /healthz: the process answers. /readyz: it can also serve metered calls (database and listener). */
export function registerHealth(app: FastifyInstance, deps: Deps): void {
  app.get('/healthz', alsoHead, async () => ({ status: 'ok' }))
  app.get('/readyz', alsoHead, async (_request, reply) => {
    const database = await sql`select 1`.execute(deps.db.kysely).then(
      () => true,
      () => false,
    )
    const ready = database && deps.listener.connected
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : 'not ready', database, listener: deps.listener.connected })
  })
}
