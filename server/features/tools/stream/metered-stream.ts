import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { AppError } from '../../../http/errors.ts'
import type { BodyAnswer, Tool } from '../define-tool.ts'
import type { Counted } from '../price.ts'
import { type StreamEnd, StreamPrice, streamForm } from './stream-price.ts'

/** What a stream cost in the end. */
export interface Settled {
  creditsCharged: number
  creditsRemaining: number | null
  unlimited: boolean
}

/** What is counted waits at most so long for the socket. */
const BUFFERED_BYTES = 16 * 1024
/** A customer who takes nothing for so long has stopped reading, and many upstreams do not wait longer. */
const STALLED_MS = 5_000

/**
 * Delivers the stream of an answer, and settles its price once, when it ends, breaks, or the client leaves. `settle` gets the price
 * of what was delivered, and whether the call failed: the upstream broke off before anything that costs. `trailer`: the final charge
 * is the last event or line. `isStopping`: the server closes streams itself.
 */
export function meterStream(
  { credits: rule, streamMs = 0 }: Tool,
  { headers, stream: source }: Extract<BodyAnswer, { stream: Readable }>,
  settle: (counted: Counted, failed: boolean) => Promise<Settled>,
  { trailer, receiptId, isStopping }: { trailer: boolean; receiptId: string; isStopping: () => boolean },
): { stream: Readable; settled: Promise<Settled> } {
  const price = new StreamPrice(rule, headers)
  const form = trailer ? streamForm(headers) : null
  const done = Promise.withResolvers<Settled>()
  done.promise.catch(() => {})
  let ended = false
  let broken = false
  let tail = ''
  let waitsSinceMs: number | null = null
  let stalled = false
  const noteWait = (): void => {
    stalled ||= waitsSinceMs !== null && performance.now() - waitsSinceMs >= STALLED_MS
  }

  const settleOnce = async (end: StreamEnd): Promise<Settled | null> => {
    if (ended) return null
    ended = true
    clearTimeout(timer)
    noteWait()
    const isOurs = end === 'left' && isStopping()
    const isBroken = broken && !stalled
    const counted = price.counted(end === 'left' && (isBroken || isOurs) ? 'broken' : end)
    // These prices are for a whole answer. Leaving early is the client's choice, breaking off is not.
    const charged = isBroken && (rule.kind === 'fixed' || price.isOfWhole) ? { credits: 0 } : counted
    try {
      const settled = await settle(charged, isBroken && charged.credits === 0)
      done.resolve(settled)
      return settled
    } catch (error) {
      done.reject(error)
      return null
    }
  }

  const stream = new Transform({
    readableHighWaterMark: BUFFERED_BYTES,
    writableHighWaterMark: BUFFERED_BYTES,
    transform(chunk: Buffer, _encoding: BufferEncoding, next: TransformCallback) {
      price.add(chunk)
      if (form) tail = (tail + chunk.toString('latin1')).slice(-2)
      next(null, chunk)
    },
    flush(next: TransformCallback) {
      void settleOnce('ended').then((settled) =>
        next(null, settled && form ? lastWord(form, tail, receiptId, settled) : null),
      )
    },
    destroy(error: Error | null, next: (error: Error | null) => void) {
      source.destroy()
      void settleOnce('left').then(() => next(error))
    },
  })
  const timer = setTimeout(() => stream.destroy(new AppError('tool_timeout')), streamMs)
  // `pipe` pauses the source until the customer has taken what waits.
  source.on('pause', () => {
    waitsSinceMs ??= performance.now()
  })
  stream.on('drain', () => {
    noteWait()
    waitsSinceMs = null
  })
  source.once('error', () => {
    broken = true
  })
  // Closed without an error, and without an end.
  source.once('close', () => {
    if (!ended && !source.readableEnded) broken = true
  })
  pipeline(source, stream, () => {})
  return { stream, settled: done.promise }
}

/** The final charge, in the form of the stream. */
function lastWord(form: 'events' | 'lines', tail: string, receiptId: string, settled: Settled): string {
  const { creditsCharged, creditsRemaining, unlimited } = settled
  const charge = JSON.stringify({
    credits_charged: creditsCharged,
    credits_remaining: unlimited ? 'unlimited' : creditsRemaining,
    receipt_id: receiptId,
  })
  if (form === 'lines') return `${tail === '' || tail.endsWith('\n') ? '' : '\n'}{"finmeter":${charge}}\n`
  return `${tail === '' || tail === '\n\n' ? '' : '\n\n'}event: finmeter\ndata: ${charge}\n\n`
}
