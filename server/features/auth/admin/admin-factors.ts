import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { removeFactor } from '../factors/delete-factor.ts'
import { findById } from '../users/find-user.ts'
import { readFactors } from '../users/user-json.ts'
import { adminOf, noSuchUser, pathId } from './require-admin.ts'

/** /admin/users/{id}/factors */
export function registerAdminFactors(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get<{ Params: { id: string } }>('/admin/users/:id/factors', async ({ params }) => {
    const id = pathId(params.id, 'user_id')
    if (!(await findById(deps.db.kysely, id))) throw noSuchUser()
    return readFactors(deps.db.kysely, id)
  })

  scope.delete<{ Params: { id: string; factorId: string } }>('/admin/users/:id/factors/:factorId', async (request) => {
    const { params } = request
    const id = pathId(params.id, 'user_id')
    const factorId = pathId(params.factorId, 'factor_id')
    return deps.db.kysely.transaction().execute(async (tx) => {
      if (!(await findById(tx, id))) throw noSuchUser()
      const factor = (await readFactors(tx, id)).find((known) => known.id === factorId)
      if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
      await removeFactor(tx, id, factorId, adminOf(request))
      return factor
    })
  })
}
