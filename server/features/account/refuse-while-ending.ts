import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'

/** Throws conflict while the account's owner has asked for its end: nothing new may begin to work in it. */
export async function refuseWhileEnding(db: Queryable, accountId: number): Promise<void> {
  const ending = await db
    .selectFrom('account_members as m')
    .innerJoin('profiles as p', 'p.user_id', 'm.user_id')
    .select('p.user_id')
    .where('m.account_id', '=', accountId)
    .where('m.role', '=', 'owner')
    .where('p.deletion_due_at', 'is not', null)
    .executeTakeFirst()
  if (ending) throw new AppError('conflict', 'This account is being deleted. Keep it in Settings first.')
}
