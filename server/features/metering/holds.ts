import { sql } from 'kysely'
import { sumOfBuckets } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import type { HoldTerms } from './meter.ts'

const LONGEST_SECONDS = 3_600
const MOST_CREDITS = 2_147_483_647

/** Throws RangeError or TypeError: terms come from our code, not from callers. */
export function checkTerms({ most, seconds, onExpiry, toolId }: HoldTerms): void {
  if (!Number.isSafeInteger(most) || most < 0 || most > MOST_CREDITS)
    throw new RangeError(`Cannot hold ${most} credits.`)
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > LONGEST_SECONDS)
    throw new RangeError(`A hold lasts 1 to ${LONGEST_SECONDS} whole seconds, not ${seconds}.`)
  if (onExpiry === 'charge' && toolId === undefined) throw new TypeError('A hold that is charged needs a tool.')
}

/** Whether text may be the id of a hold. Anything else would spoil the whole batch. */
export const isHoldId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/**
 * Ends holds whose calls were never settled: they are released, or charged if their terms say so. Safe to repeat and on
 * several instances. Returns how many.
 */
export const endExpiredHolds = (db: Database): Promise<number> => sumOfBuckets(db, endExpiredIn)

async function endExpiredIn(db: Database): Promise<number> {
  const { rows } = await sql<{ id: string }>`select id from credit_holds where expires_at <= app_now()`.execute(
    db.kysely,
  )
  let ended = 0
  for (const { id } of rows) {
    const one = await sql<{ ended: boolean }>`select credit_expire(${id}) as ended`.execute(db.kysely)
    if (one.rows[0]?.ended === true) ended++
  }
  return ended
}
