import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { UpstreamFailure } from './failure.ts'
import { encodingName, isPlain } from './read-answer.ts'
import type { SecretSearch } from './secret-search.ts'

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}
const isKnown = (name: string): name is keyof typeof DECODERS => Object.hasOwn(DECODERS, name)

/** The body without its encoding. Throws UpstreamFailure for an encoding that is not known. */
export function decoded(body: Readable, encoding: string | undefined): Readable {
  if (isPlain(encoding)) return body
  const name = encodingName(encoding)
  // Its name is the upstream's text, which no log may have.
  if (!isKnown(name)) throw new UpstreamFailure('the encoding of the body is not known')
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

/** Passes a stream on until it has `mostBytes` or repeats `secret`; then it breaks off. Bytes that could begin it wait for those after them. */
export class GuardedStream extends Transform {
  #bytes = 0
  #kept: Buffer = Buffer.alloc(0)
  readonly #secret: SecretSearch
  readonly #mostBytes: number

  constructor(secret: SecretSearch, mostBytes: number) {
    super()
    this.#secret = secret
    this.#mostBytes = mostBytes
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    const seen = this.#kept.length > 0 ? Buffer.concat([this.#kept, chunk]) : chunk
    if (this.#bytes > this.#mostBytes) done(new UpstreamFailure(`the stream has more than ${this.#mostBytes} bytes`))
    else if (this.#secret.isIn(seen)) done(new UpstreamFailure('the stream repeats the credential'))
    else {
      const from = seen.length - this.#secret.beginningAtEnd(seen)
      this.#kept = seen.subarray(from)
      done(null, seen.subarray(0, from))
    }
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#kept)
  }
}
