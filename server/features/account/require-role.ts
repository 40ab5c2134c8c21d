import type { UserActor } from '../../context.ts'
import { AppError } from '../../http/errors.ts'

/** Whether the user may change the workspace and see its secrets. Members see only names and numbers. */
export const mayManage = (actor: UserActor): boolean => actor.role !== 'member'

/** Throws forbidden unless the person is an owner or admin of the workspace. */
export function requireManager(actor: UserActor): void {
  if (!mayManage(actor)) throw new AppError('forbidden', 'Only owners and admins of this workspace may do this.')
}

/** Throws forbidden unless the person is the owner of the workspace. */
export function requireOwner(actor: UserActor): void {
  if (actor.role !== 'owner') throw new AppError('forbidden', 'Only the owner of this workspace may do this.')
}
