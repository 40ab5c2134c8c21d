import { type RawBuilder, sql } from 'kysely'
import { allBucketIds, enterAllBuckets, enterBucketNumber } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { ArchiveStore } from '../archive/archive-store.ts'
import { type ArchivedCall, byAge } from '../archive/archived-call.ts'
import { archivedBatch, archivedCalls } from '../archive/read-calls.ts'
import { decodeReceiptId, type ReceiptRef } from '../metering/receipt-id.ts'

/** The comparison reads all calls of the hour. On a very busy installation, it is abandoned after this time. */
const COMPARE_SECONDS = 10
const DAY_MICROS = 86_400_000_000

/** A metered call with everything that is stored about it. */
export interface FoundCall {
  ref: ReceiptRef
  accountId: number
  publicId: string
  accountName: string
  ownerEmail: string | null
  unlimited: boolean
  /** Null for the playground. */
  key: { id: number; publicId: string; name: string; start: string; deletedAt: Date | null } | null
  tool: string
  success: boolean
  durationMs: number
  fromCredits: number
  fromPayg: number
  /** What its variable price counted, as whole rows, units or KiB; 0: nothing. Null: a release recorded it that stored none. */
  units: number | null
  /** Credits after the call, computed backward from what the account has now. */
  balanceAfter: number
  /** Entries of the ledger that took it from the grants, together with others. Empty: not settled yet, or nothing to settle. */
  settled: { ids: number[]; at: Date | null }
  /** `replayed`: a repeat got its response from it. Null: no key was sent, or it has expired. */
  idempotency: { replayed: boolean } | null
  /** Whether the batch was voided; null: its record has expired. */
  voided: boolean | null
  /** Credits that came back when its batch was voided after it had been settled, with those of the account's other calls in the batch. */
  restored: number
  reports: { at: Date; event: string; message: string | null }[]
  batch: { calls: number; accounts: number; longestMs: number; medianMs: number }
  /** Whether its day was moved out of the database. */
  archived: boolean
  /** Calls of the tool by all accounts in the same UTC hour. Null: too many to compare, archived, or not asked for. */
  hour: { calls: number; p50Ms: number; p95Ms: number; p99Ms: number; faster: number } | null
}

/**
 * Finds a call of any account by its receipt. Writes nothing. `compare`: with the tool's other calls of that hour. Throws not_found,
 * with a message for the operator, if the text is not a receipt or no call has it.
 */
export async function findCall(
  root: Queryable,
  receiptId: string,
  archive: ArchiveStore | null = null,
  { compare = true } = {},
): Promise<FoundCall> {
  const ref = decodeReceiptId(receiptId)
  if (!ref)
    throw new AppError(
      'not_found',
      `${receiptId} is not a receipt. A receipt is rcpt_ and 35 characters. If it is a request ID, search the server log for it: its line names the receipt.`,
    )
  return root
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (db) => {
      const live = await readCall(db, ref, () => rowsAt(db, ref))
      const call = live ?? (archive && (await readArchived(db, archive, ref)))
      if (!call)
        throw new AppError(
          'not_found',
          'No call has this receipt. Calls are deleted with their account, and after 400 days; only totals remain.',
        )
      const { accountId } = call
      const archivedSpent = archive && !live ? await spentInArchive(db, archive, accountId, ref) : 0
      const spent = archivedSpent + (await spentSince(db, accountId, ref))
      return {
        ...call,
        ref,
        archived: !live,
        balanceAfter: call.balanceNow + spent - (await changedSince(db, accountId, ref)),
        settled: await settlementOf(db, accountId, ref),
        reports: await reportsOf(db, accountId, receiptId),
        batch: await readBatch(db, call.rows),
        // Last: after a timeout, the transaction can do no more.
        hour: live && compare ? await readHour(db, ref, call).catch(tooMany) : null,
      }
    })
}

/** A moment in ISO 8601, to the microsecond. */
export function isoTime({ atMicros }: ReceiptRef): string {
  const micros = String(atMicros % 1000).padStart(3, '0')
  return new Date(Math.floor(atMicros / 1000)).toISOString().replace('Z', `${micros}Z`)
}

/** As a constant, so that PostgreSQL reads only the partition of its day. */
const moment = (ref: ReceiptRef) => sql`${isoTime(ref)}::timestamptz`

/**
 * The rows of a batch in the bucket. A receipt does not name its account: the index of each day by time finds the few pages of that
 * moment. Without statistics, as for a young partition, PostgreSQL would rather read all rows.
 */
async function rowsAt(db: Queryable, ref: ReceiptRef): Promise<BatchRow[]> {
  await sql`select set_config('enable_seqscan', 'off', true)`.execute(db)
  const { rows } = await sql<BatchRow>`
    select account_id, batch, n, key_id, tool_id, duration_ms, from_credits, from_payg, success, units
    from usage_events where at = ${moment(ref)} and batch = ${ref.batch}::uuid`.execute(db)
  await sql`select set_config('enable_seqscan', 'on', true)`.execute(db)
  return rows
}

type BatchRow = Omit<ArchivedCall, 'at_micros'>

/** SQL: the rows of a batch that were read. */
const rowsOf = (calls: BatchRow[]) => sql`
  credit_accounts c join jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) e(account_id bigint, batch uuid, n smallint, key_id bigint,
    tool_id smallint, duration_ms int, from_credits int, from_payg int, success boolean, units int) on e.account_id = c.account_id`

type CallRow = Omit<FoundCall, 'ref' | 'balanceAfter' | 'settled' | 'reports' | 'batch' | 'archived' | 'hour'> & {
  toolId: number
  balanceNow: number
  /** The rows of its batch. */
  rows: RawBuilder<unknown>
}

async function readArchived(db: Queryable, archive: ArchiveStore, ref: ReceiptRef): Promise<CallRow | undefined> {
  const calls = await archivedBatch(db, archive, ref)
  return calls.length > 0 ? readCall(db, ref, async () => calls) : undefined
}

/** Looks in each bucket, and leaves the transaction in the one that has the call. */
async function readCall(db: Queryable, ref: ReceiptRef, read: () => Promise<BatchRow[]>): Promise<CallRow | undefined> {
  for (const bucket of await allBucketIds(db)) {
    await enterBucketNumber(db, bucket)
    const found = await read()
    const rows = rowsOf(found)
    const call = found.length > 0 ? await readCallIn(db, ref, bucket, rows) : undefined
    if (call) return { ...call, rows }
  }
  return undefined
}

async function readCallIn(
  db: Queryable,
  ref: ReceiptRef,
  bucket: number,
  batch: RawBuilder<unknown>,
): Promise<Omit<CallRow, 'rows'> | undefined> {
  const { rows } = await sql<Omit<CallRow, 'rows'>>`
    select e.account_id as "accountId", a.public_id as "publicId", a.name as "accountName", p.email as "ownerEmail", c.unlimited,
      case when k.id is not null then json_build_object('id', k.id, 'publicId', k.public_id, 'name', k.name, 'start', k.start,
        'deletedAt', k.deleted_at) end as key,
      e.tool_id as "toolId", t.name as tool, e.success, e.duration_ms as "durationMs", e.from_credits as "fromCredits", e.from_payg as "fromPayg", e.units,
      c.balance + coalesce((select sum(from_credits) from credit_holds h where h.account_id = e.account_id), 0)::bigint as "balanceNow",
      (select json_build_object('replayed', i.replayed) from idempotency i
        where i.account_id = e.account_id and i.batch = e.batch and i.n = e.n) as idempotency,
      (select voided from meter_batches b where b.id = e.batch) as voided,
      coalesce((select amount from credit_grants g where g.source_type = 'meter_batch' and g.source_id = e.batch || ' ' || e.account_id), 0) as restored
    from ${batch}
    join accounts a on a.id = e.account_id and a.bucket = ${bucket}
    join tools t on t.id = e.tool_id
    left join account_members m on m.account_id = a.id and m.role = 'owner'
    left join profiles p on p.user_id = m.user_id
    left join api_keys k on k.id = e.key_id
    where e.n = ${ref.n} limit 1`.execute(db)
  return rows[0]
}

/** Credits that later calls took: those of the same day by their rows, those of later days by their sums. */
async function spentSince(db: Queryable, accountId: number, ref: ReceiptRef): Promise<number> {
  const { rows } = await sql<{ spent: number }>`
    with day as (select ((${moment(ref)}) at time zone 'UTC')::date as d)
    select (coalesce((select sum(from_credits) from usage_events, day where account_id = ${accountId} and at >= ${moment(ref)}
        and at < (d + 1)::timestamp at time zone 'UTC' and (at, batch, n) > (${moment(ref)}, ${ref.batch}::uuid, ${ref.n}::smallint)), 0)
      + coalesce((select sum(from_credits) from usage_by_day, day where account_id = ${accountId} and day > d), 0))::bigint as spent`.execute(
    db,
  )
  return rows[0]!.spent
}

/** Credits that later calls of the same day took, if the day is archived. */
async function spentInArchive(
  db: Queryable,
  archive: ArchiveStore,
  accountId: number,
  ref: ReceiptRef,
): Promise<number> {
  const call = { at_micros: ref.atMicros, batch: ref.batch, n: ref.n }
  const to = (Math.floor(ref.atMicros / DAY_MICROS) + 1) * DAY_MICROS - 1
  let spent = 0
  for await (const calls of archivedCalls(db, archive, accountId, { from: ref.atMicros, to }))
    for (const later of calls) if (byAge(later, call) > 0) spent += later.from_credits
  return spent
}

/** Credits that were added since, less those that expired or were taken back. */
async function changedSince(db: Queryable, accountId: number, ref: ReceiptRef): Promise<number> {
  const { rows } = await sql<{ change: number }>`
    select coalesce(sum(delta), 0)::bigint as change from credit_ledger
    where account_id = ${accountId} and kind <> 'debit' and at > ${moment(ref)}`.execute(db)
  return rows[0]!.change
}

/** The first settlement after the call took it from the grants. */
async function settlementOf(db: Queryable, accountId: number, ref: ReceiptRef): Promise<FoundCall['settled']> {
  const { rows } = await sql<{ ids: number[] | null; at: Date | null }>`
    select array_agg(id order by id) as ids, min(at) as at from credit_ledger where account_id = ${accountId} and kind = 'debit'
      and at = (select min(at) from credit_ledger where account_id = ${accountId} and kind = 'debit' and at >= ${moment(ref)})`.execute(
    db,
  )
  const { ids, at } = rows[0]!
  return { ids: (ids ?? []).map(Number), at }
}

async function reportsOf(db: Queryable, accountId: number, receiptId: string): Promise<FoundCall['reports']> {
  return db
    .selectFrom('usage_reports')
    .select(['at', 'event', 'message'])
    .where('account_id', '=', accountId)
    .where('receipt_id', '=', receiptId)
    .orderBy('at')
    .orderBy('id')
    .limit(20)
    .execute()
}

async function readBatch(db: Queryable, batch: RawBuilder<unknown>): Promise<FoundCall['batch']> {
  const { rows } = await sql<FoundCall['batch']>`
    select count(*)::int as calls, count(distinct e.account_id)::int as accounts, max(duration_ms) as "longestMs",
      percentile_disc(0.5) within group (order by duration_ms) as "medianMs"
    from ${batch}`.execute(db)
  return rows[0]!
}

async function readHour(db: Queryable, ref: ReceiptRef, { toolId, durationMs }: CallRow): Promise<FoundCall['hour']> {
  await enterAllBuckets(db)
  await sql`select set_config('statement_timeout', ${`${COMPARE_SECONDS}s`}, true)`.execute(db)
  const hour = sql`date_trunc('hour', ${moment(ref)}, 'UTC')`
  const { rows } = await sql<NonNullable<FoundCall['hour']>>`
    select count(*)::int as calls, percentile_disc(0.5) within group (order by duration_ms) as "p50Ms",
      percentile_disc(0.95) within group (order by duration_ms) as "p95Ms", percentile_disc(0.99) within group (order by duration_ms) as "p99Ms",
      (count(*) filter (where duration_ms < ${durationMs}))::int as faster
    from credit_accounts c cross join lateral (
      select duration_ms from usage_events where account_id = c.account_id and at >= ${hour} and at < ${hour} + interval '1 hour'
        and tool_id = ${toolId} offset 0) e`.execute(db)
  return rows[0]!
}

/** 57014: canceled by the timeout. */
function tooMany(error: Error & { code?: string }): null {
  if (error.code === '57014') return null
  throw error
}
