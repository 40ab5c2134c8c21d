import type { Database } from '../server/db/database.ts'
import { checkInvariants, type Violation } from '../server/features/metering/invariants.ts'

/** What the clients saw of one database's calls, summed over all slices. */
export interface Seen {
  sent: number
  answered: number
  refused: number
  broken: number
}

/** What the database says. */
export interface Recorded {
  rows: number
  failedRows: number
  /** Sum of the rows' charges. */
  charged: number
  /** Credits granted minus the remaining balances. */
  spent: number
}

export async function readRecorded(db: Database): Promise<Recorded> {
  const { rows } = await db.pool.query<Recorded>(`
    select (select count(*) from usage_events) as rows,
      (select count(*) from usage_events where not success) as "failedRows",
      (select coalesce(sum(from_credits + from_payg), 0) from usage_events) as charged,
      (select coalesce(sum(amount), 0) from credit_grants) - (select coalesce(sum(balance), 0) from credit_accounts) as spent`)
  return rows[0]!
}

/**
 * Violations of the promise that each answer has one usage row and each row one credit. A generator that disconnected
 * before its last answers leaves extra rows, but never more than it had sent.
 */
export function differences(seen: Seen, recorded: Recorded, violations: Violation[] = []): string[] {
  const found: string[] = violations.map(({ invariant, detail }) => `${invariant} is violated: ${detail}`)
  if (seen.refused > 0) found.push(`${seen.refused} answers were refusals`)
  if (seen.broken > 0) found.push(`${seen.broken} connections broke or timed out`)
  if (recorded.rows < seen.answered) found.push(`${seen.answered} answers but only ${recorded.rows} usage rows`)
  if (recorded.rows > seen.sent) found.push(`${recorded.rows} usage rows but only ${seen.sent} requests`)
  if (recorded.failedRows > 0) found.push(`${recorded.failedRows} rows are failed calls`)
  if (recorded.charged !== recorded.rows)
    found.push(`${recorded.rows} usage rows of 1 credit but ${recorded.charged} credits charged`)
  if (recorded.spent !== recorded.charged)
    found.push(`${recorded.charged} credits charged but balances fell by ${recorded.spent}`)
  return found
}

/** Compares what clients saw with the product's tables and runs the product's own invariants. */
export async function prove(db: Database, seen: Seen): Promise<{ recorded: Recorded; problems: string[] }> {
  const recorded = await readRecorded(db)
  return { recorded, problems: differences(seen, recorded, await checkInvariants(db)) }
}
