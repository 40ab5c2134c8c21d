import type { Queryable } from '../../../db/database.ts'

/**
 * Deletes a person from sign-in: identities, sessions, factors and flows go with the row, refresh tokens end at once.
 * Where another auth service signs people in (AUTH_URL), there is no row, and that service keeps what it holds.
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
