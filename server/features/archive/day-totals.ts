import { createHash } from 'node:crypto'
import type { ArchivedCall } from './archived-call.ts'

/** What a day's rows add up to. */
export interface DayTotals {
  rows: number
  success: number
  fromCredits: number
  fromPayg: number
}

/** Sums and digest of rows in order, to compare what was read from the database with what a file gives back. */
export function countCalls() {
  const totals: DayTotals = { rows: 0, success: 0, fromCredits: 0, fromPayg: 0 }
  const hash = createHash('sha256')
  return {
    add(calls: ArchivedCall[]): void {
      for (const call of calls) {
        totals.rows += 1
        totals.success += call.success ? 1 : 0
        totals.fromCredits += call.from_credits
        totals.fromPayg += call.from_payg
        hash.update(
          `${call.account_id} ${call.at_micros} ${call.batch} ${call.n} ${call.key_id} ${call.tool_id} ${call.duration_ms} ${call.from_credits} ${call.from_payg} ${call.success} ${call.units}\n`,
        )
      }
    },
    end: () => ({ totals, digest: hash.digest('hex') }),
  }
}
