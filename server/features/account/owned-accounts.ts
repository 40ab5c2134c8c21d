import type { Queryable } from '../../db/database.ts'

/** The accounts that are deleted with the user, and whose data they can export. */
export const ownedAccounts = (db: Queryable, userId: string) =>
  db
    .selectFrom('account_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name'])
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .orderBy('a.id')
    .execute()
