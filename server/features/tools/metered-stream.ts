import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { AppError } from '../../http/errors.ts'
import type { BodyAnswer, Tool } from './define-tool.ts'
import { StreamPrice, streamForm } from './stream-price.ts'

/** What a stream cost in the end. */
export interface Settled {
  creditsCharged: number
  creditsRemaining: number | null
  unlimited: boolean
}

/** What is counted waits at most so long for the socket. */
const BUFFERED_BYTES = 16 * 1024

/**
 * Delivers the stream of an answer, and settles its price once, when it ends, breaks, or the client leaves. `settle` gets the price
 * of what was delivered, and whether the call failed: the upstream broke off before anything that costs. `trailer`: the final charge
 * is the last event or line.
 */
export function meterStream(
  { credits: rule, streamMs = 0 }: Tool,
  { headers, stream: source }: Extract<BodyAnswer, { stream: Readable }>,
  settle: (credits: number, failed: boolean) => Promise<Settled>,
  { trailer, receiptId }: { trailer: boolean; receiptId: string },
): { stream: Readable; settled: Promise<Settled> } {
  const price = new StreamPrice(rule, headers)
  const form = trailer ? streamForm(headers) : null
  const done = Promise.withResolvers<Settled>()
  done.promise.catch(() => {})
  let ended = false
  let broken = false
  let tail = ''

  const settleOnce = async (whole: boolean): Promise<Settled | null> => {
    if (ended) return null
    ended = true
    clearTimeout(timer)
    const credits = price.credits(whole)
    // These prices are for a whole answer. Leaving early is the client's choice, breaking off is not.
    const charged = broken && (rule.kind === 'fixed' || price.isOfWhole) ? 0 : credits
    try {
      const settled = await settle(charged, broken && charged === 0)
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
      void settleOnce(true).then((settled) =>
        next(null, settled && form ? lastWord(form, tail, receiptId, settled) : null),
      )
    },
    destroy(error: Error | null, next: (error: Error | null) => void) {
      source.destroy()
      void settleOnce(false).then(() => next(error))
    },
  })
  const timer = setTimeout(() => stream.destroy(new AppError('tool_timeout')), streamMs)
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
