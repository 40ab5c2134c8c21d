import type { Database } from '../../../db/database.ts'
import { foldCalls } from './fold-calls.ts'
import { foldCustomers } from './fold-customers.ts'
import { foldLedgers } from './fold-ledgers.ts'
import { foldTaxes } from './fold-taxes.ts'

/** Brings the figures of the console up to date. Safe at any time and on several instances, and after any pause. */
export async function foldFigures(db: Database): Promise<void> {
  await foldLedgers(db)
  await foldCalls(db)
  await foldCustomers(db)
  await foldTaxes(db)
}

const REST_MS = 10_000
/** A run rests this many times as long as it took. */
const REST_SHARE = 20
const runs = new WeakMap<Database, { restUntilMs: number }>()

/** The same beside a request that reads figures: an open page is 10 seconds behind, or 20 times what a run takes. */
export function foldSoon(db: Database, failed: (error: Error) => void): void {
  const startedAtMs = performance.now()
  if ((runs.get(db)?.restUntilMs ?? 0) > startedAtMs) return
  runs.set(db, { restUntilMs: Number.POSITIVE_INFINITY })
  void foldFigures(db)
    .catch(failed)
    .finally(() => {
      const tookMs = performance.now() - startedAtMs
      runs.set(db, { restUntilMs: startedAtMs + Math.max(REST_MS, REST_SHARE * tookMs) })
    })
}
