import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { RETAIN_DAYS } from '../metering/partitions.ts'
import type { ReceiptRef } from '../metering/receipt-id.ts'
import type { ArchiveStore } from './archive-store.ts'
import { type ArchivedCall, byAge } from './archived-call.ts'
import { groupsOf, type OpenFile, openFile, type RowGroup, readGroup, readMicros } from './read-file.ts'

/** Microseconds since 1970, both inclusive. */
export interface MicrosRange {
  from: number
  to: number
}

/**
 * The archived calls of an account in a range, newest first, as many at once as are read together. `db`: the bucket of the
 * account, whose daily sums say which days to look at. An account that has moved has calls in files of several buckets.
 */
export async function* archivedCalls(
  db: Queryable,
  store: ArchiveStore,
  accountId: number,
  range: MicrosRange,
): AsyncGenerator<ArchivedCall[]> {
  const used = sql`day in (select day from usage_by_day where account_id = ${accountId} and success + failed > 0)`
  const files = await findFiles(db, range, used)
  for (const day of new Set(files.map((file) => file.day))) {
    const opened = await Promise.all(files.filter((file) => file.day === day).map((file) => open(store, file)))
    const holding = opened.filter((file) => groupsFor(file, accountId, range).length > 0)
    if (holding.length === 1) yield* callsIn(holding[0]!, accountId, range)
    if (holding.length > 1) {
      // Its days may have been archived from both buckets while it moved.
      const calls = new Map<string, ArchivedCall>()
      for (const file of holding)
        for await (const some of callsIn(file, accountId, range))
          for (const call of some) calls.set(`${call.at_micros} ${call.batch} ${call.n}`, call)
      yield [...calls.values()].sort((one, other) => byAge(other, one))
    }
  }
}

/** One archived call of an account by its receipt. */
export async function archivedCall(
  db: Queryable,
  store: ArchiveStore,
  accountId: number,
  { atMicros, batch, n }: ReceiptRef,
): Promise<ArchivedCall | undefined> {
  for await (const calls of archivedCalls(db, store, accountId, { from: atMicros, to: atMicros })) {
    const call = calls.find((one) => one.batch === batch && one.n === n)
    if (call) return call
  }
  return undefined
}

/** The archived calls of a batch, of whatever account. Reads the times of the whole day: for operators. */
export async function archivedBatch(
  db: Queryable,
  store: ArchiveStore,
  { atMicros, batch }: ReceiptRef,
): Promise<ArchivedCall[]> {
  const found: ArchivedCall[] = []
  for (const one of await findFiles(db, { from: atMicros, to: atMicros }, sql`true`)) {
    const file = await open(store, one)
    for (const group of groupsOf(file)) {
      if (group.micros.least > atMicros || group.micros.most < atMicros) continue
      if (!(await readMicros(file, group)).includes(atMicros)) continue
      const calls = await readGroup(file, group)
      found.push(...calls.filter((call) => call.at_micros === atMicros && call.batch === batch))
    }
  }
  return found
}

interface DayFile {
  day: string
  file: string
  bytes: number
}

/** The files of all buckets that may have calls of the range, newest day first. */
async function findFiles(
  db: Queryable,
  { from, to }: MicrosRange,
  condition: ReturnType<typeof sql>,
): Promise<DayFile[]> {
  const dayOf = (micros: number) =>
    sql`(to_timestamp(${Math.floor(micros / 1_000_000)}::bigint) at time zone 'UTC')::date`
  const { rows } = await sql<DayFile>`
    select day::text, file, bytes from metering.usage_archives
    where day between ${dayOf(from)} and ${dayOf(to)} and day >= (app_now() at time zone 'UTC')::date - ${RETAIN_DAYS}::int and ${condition}
    order by usage_archives.day desc, file`.execute(db)
  return rows
}

async function open(store: ArchiveStore, { file, bytes }: DayFile): Promise<OpenFile> {
  try {
    return await openFile(store, file, bytes)
  } catch (cause) {
    throw new Error(`${file} cannot be read from the archive: ${(cause as Error).message}`, { cause })
  }
}

const groupsFor = (file: OpenFile, accountId: number, { from, to }: MicrosRange): RowGroup[] =>
  groupsOf(file).filter(
    ({ accounts, micros }) =>
      accounts.least <= accountId && accountId <= accounts.most && micros.least <= to && from <= micros.most,
  )

async function* callsIn(file: OpenFile, accountId: number, range: MicrosRange): AsyncGenerator<ArchivedCall[]> {
  for (const group of groupsFor(file, accountId, range).reverse()) {
    const calls = await readGroup(file, group)
    const own = calls.filter(
      (call) => call.account_id === accountId && call.at_micros >= range.from && call.at_micros <= range.to,
    )
    if (own.length > 0) yield own.reverse()
  }
}
