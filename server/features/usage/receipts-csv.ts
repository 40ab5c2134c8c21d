import type { Receipt } from '#contract/usage.ts'
import type { UserActor } from '../../context.ts'
import type { Deps } from '../../deps.ts'
import { decodeReceiptId, type ReceiptRef } from '../metering/receipt-id.ts'
import type { CallFilter } from './receipt-filter.ts'
import { readPage } from './receipts.ts'

const PAGE = 2_000
const MOST_SCANNED = 50_000
const HEAD = 'time,receipt,tool,key,status,credits,from_credits,from_pay_as_you_go,duration_ms\r\n'

/**
 * The whole log as CSV (RFC 4180), newest first, read page by page as the reader consumes it. Calls that arrive
 * meanwhile are not included.
 */
export async function* receiptsCsv(
  deps: Pick<Deps, 'db' | 'tools' | 'archive'>,
  account: Pick<UserActor, 'accountId' | 'bucket'>,
  filter: CallFilter,
): AsyncGenerator<string> {
  yield HEAD
  let after: ReceiptRef | null = null
  do {
    const page = await readPage(deps, account, { limit: PAGE, after, filter, scan: MOST_SCANNED })
    if (page.receipts.length > 0) yield page.receipts.map(line).join('')
    after = page.nextCursor === null ? null : decodeReceiptId(page.nextCursor)
  } while (after !== null)
}

const line = (call: Receipt): string =>
  `${[
    call.time,
    call.id,
    call.tool,
    cell(call.keyName),
    call.status,
    call.credits,
    call.fromCredits,
    call.fromPayAsYouGo,
    call.durationMs,
  ].join(',')}\r\n`

/** Names are user input: a spreadsheet must not take one for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
