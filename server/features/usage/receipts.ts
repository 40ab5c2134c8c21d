import { sql } from 'kysely'
import type { Receipt } from '#contract/usage.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { findOwnKey } from '../keys/get.ts'
import { type KeyName, keyNames } from '../keys/list.ts'
import { decodeReceiptId, encodeReceiptId, type ReceiptRef } from '../metering/receipt-id.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { describeKey } from './describe-key.ts'

export interface ReceiptFilter {
  limit: number
  cursor?: string
  keyId?: string
  status?: 'success' | 'failed'
}

interface Row {
  at_micros: number
  batch: string
  n: number
  key_id: number | null
  tool_id: number
  duration_ms: number
  from_credits: number
  from_payg: number
  success: boolean
}

const columns =
  sql.raw(`(extract(epoch from at) * 1000000)::bigint as at_micros, batch, n, key_id, tool_id, duration_ms,
  from_credits, from_payg, success`)
const moment = (atMicros: number) => sql`(timestamptz 'epoch' + ${atMicros}::float8 * interval '1 microsecond')`

/**
 * A page of metered calls, newest first. The cursor is opaque to callers: it is the last receipt's id.
 * Throws invalid_parameter for a cursor that is none, not_found for a key that is not theirs.
 */
export async function listReceipts(
  { actor, deps }: UserContext,
  { limit, cursor, keyId, status }: ReceiptFilter,
): Promise<{ receipts: Receipt[]; nextCursor: string | null }> {
  const db = deps.db.kysely
  const after = cursor === undefined ? null : decodeReceiptId(cursor)
  if (cursor !== undefined && !after)
    throw new AppError('invalid_parameter', 'cursor must be the nextCursor of a page before; leave it out to begin.', {
      param: 'cursor',
    })
  const key =
    keyId === undefined ? null : keyId === 'playground' ? 0 : (await findOwnKey(db, actor.accountId, keyId)).keyId
  const success = status === undefined ? null : status === 'success'
  const from = await oldestHourNeeded(db, actor.accountId, { limit, after, key, success })
  const upto = after ? moment(after.atMicros) : sql`'infinity'::timestamptz`
  const { rows } = await sql<Row>`
    select ${columns} from usage_events
    where account_id = ${actor.accountId} and at >= ${from} and at <= ${upto}
      ${after ? sql`and (at, batch, n) < (${upto}, ${after.batch}::uuid, ${after.n}::smallint)` : sql``}
      ${key === null ? sql`` : key === 0 ? sql`and key_id is null` : sql`and key_id = ${key}`}
      ${success === null ? sql`` : sql`and success = ${success}`}
    order by at desc, batch desc, n desc limit ${limit + 1}`.execute(db)
  const names = await keyNames(db, actor.accountId)
  const receipts = rows.slice(0, limit).map((row) => toReceipt(row, names, deps.tools))
  return { receipts, nextCursor: rows.length > limit ? (receipts.at(-1)?.id ?? null) : null }
}

/** One call by its receipt id. Another account's receipt and a missing one give the same not_found. */
export async function findReceipt({ actor, deps }: UserContext, receiptId: string): Promise<Receipt> {
  const db = deps.db.kysely
  const row = await findRow(db, actor.accountId, decodeReceiptId(receiptId))
  if (!row) throw new AppError('not_found', 'There is no such receipt.')
  return toReceipt(row, await keyNames(db, actor.accountId), deps.tools)
}

async function findRow(db: Queryable, accountId: number, ref: ReceiptRef | null): Promise<Row | undefined> {
  if (!ref) return undefined
  const { rows } = await sql<Row>`
    select ${columns} from usage_events
    where account_id = ${accountId} and at = ${moment(ref.atMicros)} and batch = ${ref.batch}::uuid and n = ${ref.n}`.execute(
    db,
  )
  return rows[0]
}

/**
 * From the sums: an hour so early that the page surely begins after it. Only the partitions since then are opened,
 * however old or busy the account is. Sums of the last day before the page's start may be partly passed: not counted.
 */
async function oldestHourNeeded(
  db: Queryable,
  accountId: number,
  of: { limit: number; after: ReceiptRef | null; key: number | null; success: boolean | null },
): Promise<Date> {
  const calls = of.success === null ? sql`success + failed` : of.success ? sql`success` : sql`failed`
  const start = of.after ? moment(of.after.atMicros) : sql`(select app_now())`
  const { rows } = await sql<{ hour: Date }>`
    select coalesce(min(hour) filter (where newer <= ${of.limit}), date_trunc('hour', ${start}, 'UTC') - interval '2 days') as hour
    from (select hour, sum(calls) over (order by hour desc) - calls as newer
          from (select hour, sum(${calls}) as calls from usage_hourly
                where account_id = ${accountId} and hour <= ${start} - interval '1 day' and (${of.key}::bigint is null or key_id = ${of.key})
                group by hour) h) hours`.execute(db)
  return rows[0]?.hour ?? new Date(0)
}

function toReceipt(row: Row, names: Map<number, KeyName>, tools: ToolRegistry): Receipt {
  const key = describeKey(row.key_id, names)
  return {
    id: encodeReceiptId({ atMicros: row.at_micros, batch: row.batch, n: row.n }),
    time: new Date(row.at_micros / 1000).toISOString(),
    tool: tools.nameOf(row.tool_id) ?? 'retired tool',
    keyId: key.publicId,
    keyName: key.name,
    status: row.success ? 'success' : 'failed',
    credits: row.from_credits + row.from_payg,
    fromCredits: row.from_credits,
    fromPayAsYouGo: row.from_payg,
    durationMs: row.duration_ms,
  }
}
