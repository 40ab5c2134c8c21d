import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { bearerToken } from '../../http/session-guard.ts'
import { endView } from './end-view.ts'
import { isViewToken } from './view-token.ts'

/** The end of a view. Its token opens nothing else that changes anything. */
export function registerSupportView(app: FastifyInstance, deps: Deps): void {
  app.post('/api/support-view/end', async (request, reply) => {
    const token = bearerToken(request)
    if (isViewToken(token)) await endView(deps.db, token)
    reply.header('cache-control', 'private, no-store')
    return { success: true, data: { ended: true } }
  })
}
