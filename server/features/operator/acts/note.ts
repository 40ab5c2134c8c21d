import type { Queryable } from '../../../db/database.ts'
import type { Change } from '../console/run-act.ts'
import type { FoundAccount } from '../find-account.ts'

export interface AccountNote {
  id: number
  at: string
  operator: string
  note: string
}

/** Adds a note to an account, for other operators. The customer finds it in an export of their data. */
export async function addNote(
  tx: Queryable,
  { id }: Pick<FoundAccount, 'id'>,
  operator: string,
  note: string,
): Promise<Change> {
  await tx.insertInto('account_notes').values({ account_id: id, operator, note }).execute()
  // The text is erased with the account, so the log, which outlives it, has none of it.
  return { after: { characters: note.length } }
}

const MOST = 100

/** The notes of an account, newest first. */
export async function listNotes(db: Queryable, accountId: number): Promise<AccountNote[]> {
  const rows = await db
    .selectFrom('account_notes')
    .select(['id', 'at', 'operator', 'note'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(MOST)
    .execute()
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}
