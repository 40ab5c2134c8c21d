import type { Queryable } from '../../../db/database.ts'

/** Until when the sums are complete; null: they have not begun. */
export async function foldedUntil(db: Queryable, name = 'ledgers'): Promise<Date | null> {
  const row = await db.selectFrom('operator_folds').select('until').where('name', '=', name).executeTakeFirst()
  return row?.until ?? null
}
