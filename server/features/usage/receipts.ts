import { type RawBuilder, sql } from 'kysely'
import type { Receipt, ReceiptsFilter } from '#contract/usage.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { type KeyName, keyNames } from '../keys/list.ts'
import { decodeReceiptId, encodeReceiptId, type ReceiptRef } from '../metering/receipt-id.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { describeKey } from './describe-key.ts'
import { oldestDayNeeded } from './oldest-day.ts'
import { type CallFilter, isSelective, passes, readFilter } from './receipt-filter.ts'

/** Rows scanned per page when a filter may skip most of them. */
const MOST_SCANNED = 10_000

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

export interface ReceiptPage {
  receipts: Receipt[]
  nextCursor: string | null
}

const columns =
  sql.raw(`at, (extract(epoch from at) * 1000000)::bigint as at_micros, batch, n, key_id, tool_id, duration_ms,
  from_credits, from_payg, success`)
/** Written as a constant, so that the planner reads only that day's partition. */
function moment(atMicros: number): RawBuilder<Date> {
  const ms = Math.floor(atMicros / 1000)
  const micros = String(atMicros - ms * 1000).padStart(3, '0')
  return sql<Date>`${new Date(ms).toISOString().replace('Z', `${micros}Z`)}::timestamptz`
}

/**
 * A page of metered calls, newest first. The cursor is opaque: the id of the last call scanned. Throws
 * invalid_parameter for an invalid cursor or tool, not_found for another account's key.
 */
export async function listReceipts(
  { actor, deps }: UserContext,
  { limit, cursor, ...given }: ReceiptsFilter & { limit: number; cursor?: string },
): Promise<ReceiptPage> {
  const after = cursor === undefined ? null : decodeReceiptId(cursor)
  if (cursor !== undefined && !after)
    throw new AppError(
      'invalid_parameter',
      'cursor must be the nextCursor of a previous page. Omit it for the first page.',
      {
        param: 'cursor',
      },
    )
  const filter = await readFilter(deps, actor.accountId, given)
  return readPage(deps, actor.accountId, { limit, after, filter, scan: MOST_SCANNED })
}

/** The page after `after` (null: the newest), from at most `scan` rows where the filter is selective. */
export async function readPage(
  { db: { kysely: db }, tools }: Pick<Deps, 'db' | 'tools'>,
  accountId: number,
  { limit, after, filter, scan }: { limit: number; after: ReceiptRef | null; filter: CallFilter; scan: number },
): Promise<ReceiptPage> {
  const upto = after ? moment(after.atMicros) : sql<Date>`'infinity'::timestamptz`
  const oldest = await oldestDayNeeded(db, accountId, { limit, scan, start: after && upto, filter })
  const candidates = sql`
    select ${columns} from usage_events
    where account_id = ${accountId} and at >= greatest(${oldest}::timestamptz, ${filter.from}::timestamptz) and at <= ${upto}
      ${filter.to === null ? sql`` : sql`and at < ${filter.to}`}
      ${after ? sql`and (at, batch, n) < (${upto}, ${after.batch}::uuid, ${after.n}::smallint)` : sql``}
    order by at desc, batch desc, n desc`
  const selective = isSelective(filter)
  const { rows } = await (selective
    ? sql<Row>`select * from (${candidates} limit ${scan}) c where ${passes(filter)}
        order by at desc, batch desc, n desc limit ${limit + 1}`
    : sql<Row>`${candidates} limit ${limit + 1}`
  ).execute(db)
  const names = await keyNames(db, accountId)
  const receipts = rows.slice(0, limit).map((row) => toReceipt(row, names, tools))
  if (rows.length > limit) return { receipts, nextCursor: receipts.at(-1)!.id }
  if (!selective) return { receipts, nextCursor: null }
  const { rows: lastScanned } = await sql<Row>`${candidates} offset ${scan - 1} limit 1`.execute(db)
  return { receipts, nextCursor: lastScanned[0] ? idOf(lastScanned[0]) : null }
}

/** One call by its receipt id. Throws the same not_found for a missing receipt and for another account's. */
export async function findReceipt({ actor, deps }: UserContext, receiptId: string): Promise<Receipt> {
  const db = deps.db.kysely
  const row = await findRow(db, actor.accountId, decodeReceiptId(receiptId))
  if (!row) throw new AppError('not_found', 'This receipt does not exist.')
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

const idOf = (row: Row): string => encodeReceiptId({ atMicros: row.at_micros, batch: row.batch, n: row.n })

function toReceipt(row: Row, names: Map<number, KeyName>, tools: ToolRegistry): Receipt {
  const key = describeKey(row.key_id, names)
  return {
    id: idOf(row),
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
