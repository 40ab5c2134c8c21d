import { type RawBuilder, sql } from 'kysely'
import type { Receipt, ReceiptsFilter } from '#contract/usage.ts'
import type { UserActor, UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { archivedCall } from '../archive/read-calls.ts'
import { type KeyName, keyNames } from '../keys/list.ts'
import { decodeReceiptId, encodeReceiptId, type ReceiptRef } from '../metering/receipt-id.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { receiptOfStream } from '../tools/stream/stream-receipts.ts'
import { addArchived, type CallRow, type FoundCalls } from './archived-page.ts'
import { describeKey } from './describe-key.ts'
import { oldestDayNeeded } from './oldest-day.ts'
import { type CallFilter, isSelective, passes, readFilter } from './receipt-filter.ts'

/** Rows scanned per page when a filter may skip most of them. */
const MOST_SCANNED = 10_000

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
export const listReceipts = (
  { actor, deps }: UserContext,
  asked: ReceiptsFilter & { limit: number; cursor?: string },
): Promise<ReceiptPage> => listCallsOf(deps, actor, asked)

/** The same for any account. */
export async function listCallsOf(
  deps: Pick<Deps, 'db' | 'tools' | 'archive'>,
  account: Pick<UserActor, 'accountId' | 'bucket'>,
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
  const filter = await readFilter(deps, account, given)
  return readPage(deps, account, { limit, after, filter, scan: MOST_SCANNED })
}

interface PageQuery {
  limit: number
  after: ReceiptRef | null
  filter: CallFilter
  scan: number
}

/** The page after `after` (null: the newest), from at most `scan` rows where the filter is selective. */
export async function readPage(
  { db: root, tools, archive }: Pick<Deps, 'db' | 'tools' | 'archive'>,
  { accountId, bucket }: Pick<UserActor, 'accountId' | 'bucket'>,
  page: PageQuery,
): Promise<ReceiptPage> {
  const db = root.of(bucket).kysely
  const live = await readRows(db, accountId, page)
  const { rows, cut } = archive ? await addArchived(db, archive, accountId, live, page) : live
  const names = await keyNames(db, accountId)
  const receipts = rows.slice(0, page.limit).map((row) => toReceipt(row, names, tools))
  if (rows.length > page.limit) return { receipts, nextCursor: receipts.at(-1)!.id }
  return { receipts, nextCursor: cut && idOf(cut) }
}

/** A page's calls in the database, and one more if there are more. */
async function readRows(
  db: Queryable,
  accountId: number,
  { limit, after, filter, scan }: PageQuery,
): Promise<FoundCalls> {
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
    ? sql<CallRow>`select * from (${candidates} limit ${scan}) c where ${passes(filter)}
        order by at desc, batch desc, n desc limit ${limit + 1}`
    : sql<CallRow>`${candidates} limit ${limit + 1}`
  ).execute(db)
  if (rows.length > limit || !selective) return { rows, cut: rows[limit] ?? null }
  const { rows: lastScanned } = await sql<CallRow>`${candidates} offset ${scan - 1} limit 1`.execute(db)
  return { rows, cut: lastScanned[0] ?? null }
}

/** One call by its receipt id. Throws the same not_found for a missing receipt and for another account's. */
export async function findReceipt({ actor, deps }: UserContext, receiptId: string): Promise<Receipt> {
  const db = deps.db.of(actor.bucket).kysely
  const ref = decodeReceiptId(await receiptOfStream(deps.db.kysely, actor.accountId, receiptId))
  const row =
    (await findRow(db, actor.accountId, ref)) ??
    (deps.archive && ref ? await archivedCall(db, deps.archive, actor.accountId, ref) : undefined)
  if (!row) throw new AppError('not_found', 'This receipt does not exist.')
  return toReceipt(row, await keyNames(db, actor.accountId), deps.tools)
}

async function findRow(db: Queryable, accountId: number, ref: ReceiptRef | null): Promise<CallRow | undefined> {
  if (!ref) return undefined
  const { rows } = await sql<CallRow>`
    select ${columns} from usage_events
    where account_id = ${accountId} and at = ${moment(ref.atMicros)} and batch = ${ref.batch}::uuid and n = ${ref.n}`.execute(
    db,
  )
  return rows[0]
}

const idOf = (row: CallRow): string => encodeReceiptId({ atMicros: row.at_micros, batch: row.batch, n: row.n })

function toReceipt(row: CallRow, names: Map<number, KeyName>, tools: ToolRegistry): Receipt {
  const key = describeKey(row.key_id, names)
  return {
    id: idOf(row),
    time: new Date(row.at_micros / 1000).toISOString(),
    tool: tools.current().nameOf(row.tool_id) ?? 'retired tool',
    keyId: key.publicId,
    keyName: key.name,
    status: row.success ? 'success' : 'failed',
    credits: row.from_credits + row.from_payg,
    fromCredits: row.from_credits,
    fromPayAsYouGo: row.from_payg,
    durationMs: row.duration_ms,
  }
}
