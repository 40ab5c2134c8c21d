import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'

/** Many monitors use HEAD. */
const alsoHead = { exposeHeadRoute: true }

/** /healthz: the process answers. /readyz: it can also serve metered calls, and is not about to stop. Answers within a second. */
export function registerHealth(app: FastifyInstance, deps: Deps): void {
  app.get('/healthz', alsoHead, async () => ({ status: 'ok' }))
  app.get('/readyz', alsoHead, async (_request, reply) => {
    const database = await deps.meter.canCommit()
    const listener = deps.listener.connected
    const { draining } = deps.service
    const ready = database && listener && !draining
    const status = draining ? 'stopping' : ready ? 'ready' : 'not ready'
    return reply.code(ready ? 200 : 503).send({ status, database, listener })
  })
}
