import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { jsonBody, metadata, optional } from '../request-input.ts'
import { readUser } from '../users/user-json.ts'
import { createByAdmin } from './create-by-admin.ts'
import { deleteByAdmin } from './delete-by-admin.ts'
import { listUsers } from './list-users.ts'
import { adminOf, noSuchUser, pathId } from './require-admin.ts'
import { updateByAdmin } from './update-by-admin.ts'

export const adminUserBody = z.object({
  id: optional(z.uuid()),
  email: optional(z.string()),
  phone: optional(z.string()),
  password: optional(z.string()),
  password_hash: optional(z.string()),
  email_confirm: optional(z.boolean()),
  phone_confirm: optional(z.boolean()),
  user_metadata: optional(metadata),
  app_metadata: optional(metadata),
  ban_duration: optional(z.string()),
  role: optional(z.string().min(1).max(100)),
})

export type AdminUser = z.output<typeof adminUserBody>

const deleteBody = z.object({ should_soft_delete: optional(z.boolean()) })

/** /admin/users */
export function registerAdminUsers(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/admin/users', (request, reply) => listUsers(deps, request, reply))
  scope.post('/admin/users', async (request) => createByAdmin(deps, adminOf(request), jsonBody(request, adminUserBody)))
  scope.get<{ Params: { id: string } }>('/admin/users/:id', async (request) => {
    const user = await readUser(deps.db.kysely, idOf(request))
    if (!user) throw noSuchUser()
    return user
  })
  scope.put<{ Params: { id: string } }>('/admin/users/:id', async (request) =>
    updateByAdmin(deps, adminOf(request), idOf(request), jsonBody(request, adminUserBody)),
  )
  scope.delete<{ Params: { id: string } }>('/admin/users/:id', async (request) => {
    const id = idOf(request)
    const { should_soft_delete } = request.body ? jsonBody(request, deleteBody) : {}
    await deleteByAdmin(deps, adminOf(request), id, should_soft_delete ?? false)
    return {}
  })
}

const idOf = (request: FastifyRequest<{ Params: { id: string } }>): string => pathId(request.params.id, 'user_id')
