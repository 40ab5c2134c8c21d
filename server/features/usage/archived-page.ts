import type { Queryable } from '../../db/database.ts'
import type { ArchiveStore } from '../archive/archive-store.ts'
import { type ArchivedCall, byAge } from '../archive/archived-call.ts'
import { archivedCalls } from '../archive/read-calls.ts'
import type { ReceiptRef } from '../metering/receipt-id.ts'
import type { CallFilter } from './receipt-filter.ts'

export type CallRow = Omit<ArchivedCall, 'account_id'>

/** Matching calls, newest first, and the last call that was looked at; null: there are no older ones. */
export interface FoundCalls {
  rows: CallRow[]
  cut: CallRow | null
}

/**
 * Adds archived calls to those that a page found in the database. Archived days are older than the others, except
 * for calls that arrived late, so both are merged. A call that was archived between the two reads is in both, and counts once.
 */
export async function addArchived(
  db: Queryable,
  store: ArchiveStore,
  accountId: number,
  live: FoundCalls,
  page: { limit: number; after: ReceiptRef | null; filter: CallFilter; scan: number },
): Promise<FoundCalls> {
  const archived = await readArchived(db, store, accountId, live.cut, page)
  const cuts = [live.cut, archived.cut].filter((cut) => cut !== null).sort(newestFirst)
  const cut = cuts[0] ?? null
  const byCall = new Map([...archived.rows, ...live.rows].map((row) => [`${row.at_micros} ${row.batch} ${row.n}`, row]))
  const rows = [...byCall.values()].filter((row) => !cut || newestFirst(row, cut) <= 0)
  return { rows: rows.sort(newestFirst), cut }
}

const newestFirst = (one: CallRow, other: CallRow): number => byAge(other, one)

async function readArchived(
  db: Queryable,
  store: ArchiveStore,
  accountId: number,
  floor: CallRow | null,
  { limit, after, filter, scan }: { limit: number; after: ReceiptRef | null; filter: CallFilter; scan: number },
): Promise<FoundCalls> {
  const range = {
    from: Math.max(floor?.at_micros ?? 0, filter.from === '-infinity' ? 0 : microsOf(filter.from)),
    to: Math.min(after?.atMicros ?? FAR, filter.to === null ? FAR : microsOf(filter.to) - 1),
  }
  const rows: CallRow[] = []
  let scanned = 0
  for await (const calls of archivedCalls(db, store, accountId, range))
    for (const call of calls) {
      if (after && byAge(call, { at_micros: after.atMicros, batch: after.batch, n: after.n }) >= 0) continue
      scanned += 1
      if (passes(call, filter)) rows.push(call)
      if (rows.length > limit || scanned >= scan) return { rows, cut: call }
    }
  return { rows, cut: null }
}

/** The year 2255. */
const FAR = Number.MAX_SAFE_INTEGER

const passes = (call: CallRow, { keyId, toolId, success }: CallFilter): boolean =>
  (keyId === null || (call.key_id ?? 0) === keyId) &&
  (toolId === null || call.tool_id === toolId) &&
  (success === null || call.success === success)

/** Microseconds since 1970 of a moment in ISO 8601. */
function microsOf(iso: string): number {
  const digits = /\.\d{3}(\d{1,3})/.exec(iso)?.[1] ?? ''
  return Date.parse(iso) * 1000 + Number(digits.padEnd(3, '0'))
}
