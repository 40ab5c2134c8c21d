import type { Database } from '../../../db/database.ts'
import { foldCalls } from './fold-calls.ts'
import { foldCustomers } from './fold-customers.ts'
import { foldLedgers } from './fold-ledgers.ts'

/** Brings the figures of the console up to date. Safe at any time and on several instances, and after any pause. */
export async function foldFigures(db: Database): Promise<void> {
  await foldLedgers(db)
  await foldCalls(db)
  await foldCustomers(db)
}

const REST_MS = 10_000
const running = new WeakMap<Database, { startedAtMs: number; done: Promise<void> }>()

/** The same beside a request that reads figures, so that an open page is seconds behind, not minutes. */
export function foldSoon(db: Database, failed: (error: Error) => void): void {
  const last = running.get(db)
  if (last && performance.now() - last.startedAtMs < REST_MS) return
  const before = last?.done ?? Promise.resolve()
  running.set(db, { startedAtMs: performance.now(), done: before.then(() => foldFigures(db)).catch(failed) })
}
