import type { TableCall } from '../call.ts'
import { Client } from '../client.ts'
import type { Receipt } from '../receipt.ts'
import type { TableOperation } from '../request.ts'
import type { Call } from './command.ts'
import { addressOf, dataToken } from './credentials.ts'
import { CliError } from './exit-codes.ts'
import { note, out, printJson, printTable, type Scalar } from './print.ts'

/** Longer waits for a rate limit end with an error, because a terminal shows nothing meanwhile. */
export const MOST_WAIT_MS = 20_000

export async function clientOf({ globals }: Call): Promise<Client> {
  return new Client({ key: await dataToken(globals), url: await addressOf(globals), maxWaitMs: MOST_WAIT_MS })
}

/** Prints the rows of a call: a table, `--csv` or `--json`; with `--dry-run` what they would cost. */
export async function printRows(
  call: Call,
  operation: TableOperation<object, unknown>,
  input: Record<string, unknown>,
): Promise<void> {
  const client = await clientOf(call)
  if (call.options['dry-run']) return printJson(await client.dryRun(operation, input))
  const { csv, pages } = call.options
  if (pages && (!csv || input.limit !== undefined)) throw new CliError('usage', '--pages needs --csv, and no limit.')
  if (csv) return printCsv((cursor) => client.table(operation, cursor ? { ...input, cursor } : input), pages === true)
  const page = await client.table(operation, input)
  if (call.globals.json) printJson({ rows: page.rows, meta: page.meta, next_cursor: page.nextCursor })
  else
    printTable(
      page.columns,
      page.rows.map((row) => page.columns.map((name) => (row as Record<string, Scalar>)[name])),
    )
  tell(page.receipt)
  if (page.nextCursor !== null) note(MORE)
}

const MORE = 'Not all rows are shown. Raise --limit, or use --csv --pages for all rows.'

/** One page as CSV text, or all `pages`. */
async function printCsv(ask: (cursor?: string) => TableCall<unknown>, pages: boolean): Promise<void> {
  let cursor: string | null | undefined
  do {
    const { text, nextCursor, receipt } = await ask(cursor ?? undefined).csv()
    // Later pages repeat the names of the columns.
    out(cursor ? text.slice(text.indexOf('\n') + 1) : text)
    tell(receipt)
    cursor = nextCursor
  } while (cursor && pages)
  if (cursor) note(MORE)
}

/** On stderr, so that it is not among the data. */
export function tell({ id, creditsCharged, creditsRemaining }: Receipt): void {
  if (id && process.stderr.isTTY)
    note(`${creditsCharged} credits charged, ${creditsRemaining ?? 'unknown'} left, receipt ${id}`)
}
