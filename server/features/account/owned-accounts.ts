import type { Queryable } from '../../db/database.ts'

/** The accounts that end with the person, and whose data is theirs to take along. */
export const ownedAccounts = (db: Queryable, userId: string) =>
  db
    .selectFrom('account_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name'])
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .orderBy('a.id')
    .execute()
