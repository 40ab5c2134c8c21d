import type { Queryable } from '../../../db/database.ts'

/**
 * Deletes a user from sign-in. Identities, sessions, factors and flows go with the row; refresh tokens end at once.
 * If another auth service handles sign-in (AUTH_URL), there is no row, and that service keeps its data.
 */
export async function deleteUser(tx: Queryable, userId: string): Promise<void> {
  await tx.deleteFrom('auth.users').where('id', '=', userId).execute()
  await tx
    .deleteFrom('audit_log')
    .where('account_id', 'is', null)
    .where((where) =>
      where.or([
        where.and([where('actor', '=', `user:${userId}`), where('subject', 'is', null)]),
        where('subject', '=', userId),
      ]),
    )
    .execute()
}
