import { FinmeterError, lost } from './errors.ts'
import { type Receipt, readReceipt } from './receipt.ts'
import { type CallOptions, newKey, send, type Transport } from './send.ts'

/** Rows as they arrive. Read it once. */
export interface RowStream<Row> extends AsyncIterable<Row> {
  /** Null until the first row arrives. */
  readonly receipt: Receipt | null
  /** Continues after the last row; null if there are no more rows. */
  readonly nextCursor: string | null
}

type Wire = { url: URL; method: string; body: string | null }

/**
 * Streams NDJSON. If the connection breaks off, it sends the call again with the same idempotency key, which is free, and
 * skips the rows that have already been delivered.
 */
export function streamRows<Row>(
  transport: Transport,
  request: Wire,
  given: CallOptions,
  onReceipt: (receipt: Receipt) => void,
): RowStream<Row> {
  const options = { idempotencyKey: newKey(), ...transport.options, ...given }
  const { signal, timeoutMs = 30_000, retries = 4 } = options
  async function* rows(): AsyncGenerator<Row> {
    let delivered = 0
    let validator: string | null | undefined
    for (let breaks = 0; ; breaks++) {
      const response = await send(transport, request, options, async (answer) => answer)
      const etag = response.headers.get('etag')
      validator ??= etag
      if (etag !== validator) throw lost('bad_answer', 'The data was updated while it was read. Read it again.')
      if (stream.receipt === null) {
        stream.receipt = readReceipt(response.headers)
        onReceipt(stream.receipt)
      }
      stream.nextCursor = response.headers.get('x-next-cursor')
      let skip = delivered
      try {
        for await (const line of linesOf(response.body!, timeoutMs, signal)) {
          if (skip-- > 0) continue
          delivered++
          yield JSON.parse(line) as Row
        }
        return
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof FinmeterError) error.idempotencyKey = options.idempotencyKey
        if (breaks >= retries) throw error
      }
    }
  }
  const stream = { receipt: null as Receipt | null, nextCursor: null as string | null, [Symbol.asyncIterator]: rows }
  return stream
}

/** Complete lines. Throws if the body breaks off, even in the middle of a line. */
async function* linesOf(body: ReadableStream<Uint8Array>, timeoutMs: number, signal: AbortSignal | undefined) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, timeoutMs, signal)
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop()!
      yield* lines
    }
  } finally {
    // The reader may have stopped early; then nothing more is transferred.
    reader.cancel().catch(() => {})
  }
  if (rest !== '') throw lost('connection_failed', 'The answer broke off in the middle of a row.')
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
) {
  let stop = () => {}
  const stopped = new Promise<never>((_, fail) => {
    const timer = setTimeout(() => fail(lost('timed_out', `Nothing arrived within ${timeoutMs} ms.`)), timeoutMs)
    const cancel = () => fail(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  })
  try {
    return await Promise.race([reader.read(), stopped])
  } catch (error) {
    if (error instanceof FinmeterError || signal?.aborted) throw error
    throw lost('connection_failed', 'The connection broke off before the answer was complete.', error)
  } finally {
    stop()
  }
}
