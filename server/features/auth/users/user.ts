import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { currentUser } from '../sessions/current-user.ts'
import { readUser } from './user-json.ts'

/** GET /user */
export function registerUser(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/user', async (request) => {
    const { userId } = await currentUser(deps, request)
    const user = await readUser(deps.db.kysely, userId)
    if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
    return user
  })
}
