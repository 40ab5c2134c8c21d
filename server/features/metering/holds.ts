import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { sumOfBuckets } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { HoldOutcome, RefusalCode } from './meter.ts'

/**
 * Sets `most` credits aside for a call that is about to start, under the same rules as a call of that price, durably
 * when this resolves. Rejects with metering_unavailable; a hold that was recorded anyway expires after `seconds`.
 */
export async function holdCredits(
  db: Database,
  { accountId, keyId, most, seconds }: { accountId: number; keyId: number | null; most: number; seconds: number },
): Promise<HoldOutcome> {
  const id = randomUUID()
  const { rows } = await sql<{ outcome: 'held' | RefusalCode; balance: number }>`
    select * from credit_hold(${id}, ${accountId}, ${keyId ?? 0}, ${most}, ${seconds})`
    .execute(db.kysely)
    .catch((cause: Error) => {
      throw new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }, { cause })
    })
  const { outcome, balance } = rows[0]!
  return outcome === 'held' ? { kind: 'held', id } : { kind: 'refused', code: outcome, creditsRemaining: balance }
}

/** Releases a hold. Returns false if it has ended, or is not in this bucket. */
export async function releaseHold(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql<{ released: boolean }>`select credit_release(${id}) as released`.execute(db.kysely)
  return rows[0]?.released === true
}

/**
 * Releases holds whose calls were never settled because their server died. Safe to repeat and on several instances.
 * Returns how many.
 */
export const releaseExpiredHolds = (db: Database): Promise<number> => sumOfBuckets(db, releaseExpiredIn)

async function releaseExpiredIn(db: Database): Promise<number> {
  const { rows } = await sql<{ id: string }>`select id from credit_holds where expires_at <= app_now()`.execute(
    db.kysely,
  )
  let released = 0
  for (const { id } of rows) if (await releaseHold(db, id)) released++
  return released
}
