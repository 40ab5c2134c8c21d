import type { Deps } from '../../deps.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import type { RestHandler, RestRequest } from '../data-api/answer-rows.ts'
import { chooseKey } from '../keys/credentials.ts'
import type { Caller } from '../metering/meter.ts'
import { takeDryRun } from '../tools/dry-run.ts'
import { readIdempotencyKey } from '../tools/prepare.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { requestHash } from '../tools/request-hash.ts'
import { Attempt, type AttemptDeps, wantedText } from './attempt.ts'
import { countryOf } from './country-of.ts'
import type { PaymentMethod } from './method.ts'
import { isPayable } from './payable.ts'
import { quoteCall } from './quote-call.ts'

export const PAYMENT = 'payment-signature'

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

/**
 * The handler of a tool whose calls can be paid, by x402 over HTTP. A request with a key takes the usual way; at zero credits it is told
 * how to pay, too. One without a key, or with a payment, is paid by itself.
 */
export function payableHandler(
  deps: AttemptDeps,
  method: PaymentMethod,
  entry: RegisteredTool,
  handler: RestHandler,
): RestHandler {
  if (!isPayable(entry)) return handler
  return async (request) => {
    const { headers, presented } = request
    const sent = headers[PAYMENT]
    let attempt: Attempt | undefined
    const payer = async (given: unknown): Promise<Caller> => {
      const { dryRun, input: asked } = takeDryRun(entry, given, true)
      // To ask what a call would cost is free, so it needs an account.
      if (dryRun) throw new AppError('key_missing')
      await deps.limits.count('agentRequests', { address: presented.address ?? '' })
      const input = entry.parse(asked)
      const quote = quoteCall(deps.config, entry, input, resourceOf(deps, entry, request))
      attempt = new Attempt(deps, method, {
        quote,
        wanted: wantedText(quote),
        product: 'call',
        topUp: null,
        requestHash: requestHash(entry, input),
        payment: sent,
        idempotencyKey: readIdempotencyKey(headers['idempotency-key'], 'Idempotency-Key'),
        address: presented.address ?? '',
        country: countryOf(deps.config, headers),
        isGone: request.isGone,
      })
      return attempt.admit()
    }
    if (sent === undefined && chooseKey(presented) !== undefined) {
      const answer = await handler(request)
      if (!isOutOfCredits(answer)) return answer
      // What the same call costs without the key.
      await handler({ ...request, record: new CallRecord(request.record.requestId), payer })
      return attempt ? withOffer(answer, attempt) : answer
    }
    // What is unchanged is free, so a paid call would be worked for and never paid: it always gets its answer.
    const { 'if-none-match': _, ...unconditional } = headers
    const answer = await handler({ ...request, headers: unconditional, payer })
    await attempt?.end()
    return attempt ? dress(answer, attempt, method, sent === undefined) : answer
  }
}

/** The answer with the payment's receipt, and with the terms if it is to say how to pay. */
export function dress(answer: HttpAnswer, attempt: Attempt, method: PaymentMethod, unpaid: boolean): HttpAnswer {
  if (attempt.receipt) {
    answer.headers['payment-response'] = base64(method.receipt(attempt.receipt))
    answer.headers['cache-control'] = 'private, no-store'
  }
  if (!attempt.wanted) return answer
  // A key is the other way to be served.
  if (unpaid) answer.headers['www-authenticate'] = 'Bearer realm="Finmeter API key"'
  return withOffer(answer, attempt)
}

function withOffer(answer: HttpAnswer, attempt: Attempt): HttpAnswer {
  answer.headers['payment-required'] = base64(attempt.offer())
  return answer
}

const isOutOfCredits = ({ status, body }: HttpAnswer): boolean =>
  status === 402 && typeof body === 'string' && JSON.parse(body).code === 'insufficient_credits'

/** The address of the request, made from the path's pattern: never from what a proxy may have changed. */
function resourceOf(
  { config }: Pick<Deps, 'config'>,
  { tool }: RegisteredTool,
  { params, query }: RestRequest,
): string {
  const path = tool.rest!.path.replaceAll(/\{([^{}/]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return `${config.PUBLIC_URL}${path}${query === '' ? '' : `?${query}`}`
}
