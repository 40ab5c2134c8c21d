import { lost } from './errors.ts'
import { type RowStream, streamRows } from './lines.ts'
import { type Receipt, readReceipt } from './receipt.ts'
import { type Input, type Operation, requestOf } from './request.ts'
import { type CallOptions, newKey, send, type TableOptions, type Transport } from './send.ts'

export type Cell = string | number | boolean | null

/** Facts about the rows; each operation adds its own. */
export interface Meta {
  row_count: number
  warnings: string[]
  [fact: string]: unknown
}

/** One answer with rows. */
export interface Page<Row> {
  rows: Row[]
  columns: string[]
  meta: Meta
  /** Send it as `cursor` to continue; null: these were the last rows. */
  nextCursor: string | null
  receipt: Receipt
}

/** One answer with an object. */
export interface Answer<Value> {
  data: Value
  receipt: Receipt
}

/** What a call would return and cost. */
export interface Estimate {
  rows: number
  bytes: number
  estimated_tokens: number
  credits: number
}

export interface Csv {
  text: string
  nextCursor: string | null
  receipt: Receipt
}

export interface Context extends Transport {
  url: string
  onReceipt: ((receipt: Receipt, operation: string) => void) | undefined
}

type Columns = { data: { columns: string[]; rows: Cell[][] }; meta: Meta; next_cursor: string | null }

/**
 * A call that returns rows. Nothing is sent until you `await` it (one answer), iterate over it (the rows of that answer; with
 * the option `pages`, of all pages), or call one of its methods. Each of these is a call of its own, except that awaiting it
 * again, or iterating over it, gives the same answer.
 */
export class TableCall<Row> implements PromiseLike<Page<Row>>, AsyncIterable<Row> {
  readonly #context: Context
  readonly #operation: Operation
  readonly #input: Input
  readonly #options: TableOptions
  #first: Promise<Page<Row>> | undefined

  constructor(context: Context, operation: Operation, input: Input, options: TableOptions) {
    this.#context = context
    this.#operation = operation
    this.#input = input
    this.#options = options
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a call sends it
  then<A = Page<Row>, B = never>(
    done?: ((page: Page<Row>) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#send<Row>(this.#input, this.#options)
    return this.#first.then(done, failed)
  }

  /** Answers one after another, up to `limit` rows in all, each requested when the one before has been used. */
  async *pages(): AsyncGenerator<Page<Row>, void, undefined> {
    const idempotencyKey = this.#options.idempotencyKey ?? newKey()
    const most = this.#operation.pageRows
    let { cursor, limit: left } = this.#input as { cursor?: string; limit?: number }
    for (let at = 1; ; at++) {
      const key = at === 1 ? idempotencyKey : `${idempotencyKey}.${at}`
      // The largest pages are the fewest calls.
      const limit = most === undefined ? left : Math.min(left ?? most, most)
      const page = await this.#send<Row>({ ...this.#input, cursor, limit }, { ...this.#options, idempotencyKey: key })
      yield page
      if (left !== undefined) left -= page.rows.length
      if (page.nextCursor === null || (left !== undefined && left <= 0)) return
      cursor = page.nextCursor
    }
  }

  /** The rows of one answer; with the option `pages`, those of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    if (this.#options.pages) {
      for await (const { rows } of this.pages()) yield* rows
      return
    }
    const { rows, nextCursor } = await this
    yield* rows
    const { name, pageRows } = this.#operation
    if (nextCursor !== null && pageRows !== undefined && this.#input.limit === undefined)
      console.warn(`${name}: there are more than these ${rows.length} rows. Set limit, or pages: true for all of them.`)
  }

  /** The rows of one answer as they arrive (NDJSON), for long histories: `limit` can be 1,000,000 where the operation allows. */
  stream(): RowStream<Row> {
    const { onReceipt } = this.#context
    return streamRows(this.#context, this.#wire({ format: 'ndjson' }), this.#options, (receipt) =>
      onReceipt?.(receipt, this.#operation.name),
    )
  }

  /** One answer as CSV, with a header line. */
  async csv(): Promise<Csv> {
    const csv = await send(this.#context, this.#wire({ format: 'csv' }), this.#options, async (response) => ({
      text: await response.text(),
      nextCursor: response.headers.get('x-next-cursor'),
      receipt: readReceipt(response.headers),
    }))
    return this.#seen(csv)
  }

  /** What this call would return and cost. Free. */
  async dryRun(): Promise<Estimate> {
    const { rows } = await this.#send<Estimate>({ ...this.#input, dry_run: true }, this.#options)
    return rows[0]!
  }

  #wire(query: Input, input = this.#input) {
    return requestOf(this.#context.url, this.#operation, input, query)
  }

  async #send<R>(input: Input, options: CallOptions): Promise<Page<R>> {
    const page = await send(this.#context, this.#wire({ format: 'columns' }, input), options, async (response) => {
      const { data, meta, next_cursor: nextCursor } = await json<Columns>(response)
      const { columns } = data
      const rows = data.rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns[at], cell])) as R)
      return { rows, columns, meta, nextCursor, receipt: readReceipt(response.headers) }
    })
    return this.#seen(page)
  }

  /** Outside of the tries: an error of the caller's own code is no reason to send again. */
  #seen<A extends { receipt: Receipt }>(answer: A): A {
    this.#context.onReceipt?.(answer.receipt, this.#operation.name)
    return answer
  }
}

export async function json<T extends { data: unknown }>(response: Response): Promise<T> {
  const body = JSON.parse(await response.text()) as T | null
  if (body?.data === undefined) throw lost('bad_answer', 'The answer has no data. Is this the address of a Finmeter?')
  return body
}
