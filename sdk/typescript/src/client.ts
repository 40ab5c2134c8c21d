import { type Answer, type Context, type Estimate, json, TableCall } from './call.ts'
import { type Receipt, readReceipt } from './receipt.ts'
import { type Input, requestOf, type TableOperation, type ValueOperation } from './request.ts'
import { type CallOptions, send, type TableOptions } from './send.ts'

export interface ClientOptions extends Omit<CallOptions, 'idempotencyKey' | 'signal'> {
  /** The API key. The key `demo` works on servers that allow it. */
  key: string
  /** Address of the server: `https://data.example.com`. */
  url?: string
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: typeof fetch
  /** Called with the receipt of every answer. */
  onReceipt?: (receipt: Receipt, operation: string) => void
}

/**
 * Calls operations given as values, so that a bundle contains only the ones that are used. `Finmeter` has a method for every
 * operation.
 */
export class Client {
  readonly #context: Context

  constructor({ key, url = 'http://localhost:3000', fetch = globalThis.fetch, onReceipt, ...options }: ClientOptions) {
    if (!key) throw new TypeError('An API key is required: new Finmeter({ key })')
    // Some runtimes refuse a fetch that is called as a method.
    this.#context = { key, url, fetch: (...given) => fetch(...given), onReceipt, options }
  }

  /** A call of an operation that returns rows. */
  table<I extends object, Row>(
    operation: TableOperation<I, Row>,
    input: I,
    options: TableOptions = {},
  ): TableCall<Row> {
    return new TableCall(this.#context, operation, input as Input, options)
  }

  /** Calls an operation that returns one object. */
  async value<I extends object, Value>(
    operation: ValueOperation<I, Value>,
    input: I,
    options: CallOptions = {},
  ): Promise<Answer<Value>> {
    const request = requestOf(this.#context.url, operation, input as Input, {})
    const answer = await send(this.#context, request, options, async (response) => {
      const { data } = await json<{ data: Value }>(response)
      return { data, receipt: readReceipt(response.headers) }
    })
    this.#context.onReceipt?.(answer.receipt, operation.name)
    return answer
  }

  /** What a call would return and cost. Free. */
  async dryRun<I extends object>(
    operation: TableOperation<I, unknown> | ValueOperation<I, unknown>,
    input: I,
    options: CallOptions = {},
  ): Promise<Estimate> {
    if (operation.kind === 'table') return this.table(operation, input, options).dryRun()
    const asked = { ...operation, types: undefined } as ValueOperation<I & { dry_run: true }, Estimate>
    return (await this.value(asked, { ...input, dry_run: true }, options)).data
  }
}
