import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../deps.ts'
import { registerAdminFactors } from './admin-factors.ts'
import { registerAdminLinks } from './admin-links.ts'
import { registerAdminUsers } from './admin-users.ts'
import { requireAdmin } from './require-admin.ts'

/** /admin and /invite: requires a service key (npm run admin -- service-key). */
export function registerAdmin(scope: FastifyInstance, deps: AuthDeps): void {
  scope.register(async (admin) => {
    admin.addHook('onRequest', (request) => requireAdmin(deps, request))
    registerAdminUsers(admin, deps)
    registerAdminFactors(admin, deps)
    registerAdminLinks(admin, deps)
  })
}
