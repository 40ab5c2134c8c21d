import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { UpstreamFailure } from './failure.ts'
import type { AnswerHead } from './read-whole.ts'

const USUAL = ['content-type', 'content-language', 'content-disposition', 'etag', 'last-modified', 'retry-after']
/** What a browser that opens the address would run as a page of our own origin. */
const ACTIVE = /html|xml|svg|script|css/i

/** Throws UpstreamFailure for answers that are not for the customer: they speak of the operator's credential, its limits, or another address. */
export function refuseFailed({ status, headers }: AnswerHead): void {
  if (status >= 200 && status < 500 && (status < 300 || status >= 400) && ![401, 407, 429].includes(status)) return
  const after = Number(headers['retry-after'])
  const retryAfterS = after > 0 && after < 86_400 ? Math.ceil(after) : undefined
  const meaning = status === 401 || status === 407 ? ': it does not accept the credential' : ''
  throw new UpstreamFailure(`it answered ${status}${meaning}`, {
    ofOneCall: status < 400,
    retryAfterS,
    rests: status === 429 && retryAfterS !== undefined,
  })
}

/** The headers that customers get: the usual ones and `more`. */
export function passedHeaders(
  given: Record<string, string | string[] | undefined>,
  more: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of [...USUAL, ...more]) {
    const value = given[name]
    if (value !== undefined) passed[name] = Array.isArray(value) ? value.join(', ') : value
  }
  if (ACTIVE.test(passed['content-type'] ?? '')) passed['content-disposition'] = 'attachment'
  return passed
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}
const isKnown = (name: string): name is keyof typeof DECODERS => Object.hasOwn(DECODERS, name)

const nameOf = (encoding: string | undefined): string => encoding?.trim().toLowerCase() ?? ''
/** Whether a body with this `content-encoding` is not encoded. */
export const isPlain = (encoding: string | undefined): boolean => ['identity', ''].includes(nameOf(encoding))

/** The body without its encoding. Throws UpstreamFailure for an encoding that is not known. */
export function decoded(body: Readable, encoding: string | undefined): Readable {
  if (isPlain(encoding)) return body
  const name = nameOf(encoding)
  if (!isKnown(name)) throw new UpstreamFailure(`the encoding ${name.slice(0, 40)} is not known`)
  const decoder = DECODERS[name]()
  body.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => body.destroy())
  return body.pipe(decoder)
}

/** The whole body, at most `mostBytes` of it. Throws UpstreamFailure when it is longer or breaks off. */
export function collect(body: Readable, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((done, failed) => {
    const fail = (failure: UpstreamFailure): void => {
      body.destroy()
      failed(failure)
    }
    const brokeOff = (cause?: Error | null): void => fail(new UpstreamFailure('the body broke off', { cause }))
    if (body.destroyed) return brokeOff(body.errored)
    body
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > mostBytes)
          fail(new UpstreamFailure(`the body has more than ${mostBytes} bytes`, { ofOneCall: true }))
      })
      .once('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      .once('error', brokeOff)
      // Without an error, too.
      .once('close', () => {
        if (!body.readableEnded) brokeOff()
      })
  })
}

/** Whether one of `texts` is in the body or a header. */
export const repeats = (texts: readonly string[], body: Buffer, headers: Record<string, string>): boolean =>
  texts.some((text) => body.includes(text) || Object.values(headers).some((value) => value.includes(text)))

/**
 * Passes a stream on until it has `mostBytes` or repeats one of `texts`; then it breaks off. Bytes that could be the beginning of a
 * text wait for those after them.
 */
export class GuardedStream extends Transform {
  #bytes = 0
  #kept: Buffer = Buffer.alloc(0)
  readonly #texts: readonly string[]
  readonly #mostBytes: number

  constructor(texts: readonly string[], mostBytes: number) {
    super()
    this.#texts = texts
    this.#mostBytes = mostBytes
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    const seen = this.#kept.length > 0 ? Buffer.concat([this.#kept, chunk]) : chunk
    if (this.#bytes > this.#mostBytes) done(new UpstreamFailure(`the stream has more than ${this.#mostBytes} bytes`))
    else if (this.#texts.some((text) => seen.includes(text)))
      done(new UpstreamFailure('the stream repeats the credential'))
    else {
      const from = seen.length - this.#beginning(seen)
      this.#kept = seen.subarray(from)
      done(null, seen.subarray(0, from))
    }
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#kept)
  }

  /** How many of the last bytes are the beginning of a text. */
  #beginning(seen: Buffer): number {
    const most = Math.max(0, ...this.#texts.map((text) => text.length - 1))
    for (let length = Math.min(most, seen.length); length > 0; length--) {
      const end = seen.toString('latin1', seen.length - length)
      if (this.#texts.some((text) => text.startsWith(end))) return length
    }
    return 0
  }
}
