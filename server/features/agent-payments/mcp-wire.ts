import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { chooseKey } from '../keys/credentials.ts'
import { type CallResult, type ClientCall, callTool, refused } from '../mcp/call-tool.ts'
import type { McpRequest } from '../mcp/message.ts'
import { takeDryRun } from '../tools/dry-run.ts'
import { readIdempotencyKey } from '../tools/prepare.ts'
import { type McpTool, toMcpTool } from '../tools/register-tool.ts'
import type { ToolSnapshot } from '../tools/registry.ts'
import { requestHash } from '../tools/request-hash.ts'
import { Attempt, usdText, wantedText } from './attempt.ts'
import { countryOf } from './country-of.ts'
import type { PaymentMethod } from './method.ts'
import { isPayable } from './payable.ts'
import { microUsdOf, quoteCall } from './quote-call.ts'

/** Where clients find what became of their payment. */
const RESPONSE_META = 'x402/payment-response'

/**
 * Calls a tool on the payment endpoint, by x402 over MCP. A client with a key takes the usual way; at zero credits it is told how to pay,
 * too. One without a key, or with a payment, pays for the call itself. Never throws.
 */
export async function callPaid(
  deps: Deps,
  method: PaymentMethod,
  request: McpRequest,
  call: ClientCall,
): Promise<CallResult> {
  const { entry, args, payment, metaKey, headerKey, record } = call
  const keyed = chooseKey(request.presented) !== undefined
  let isGone = false
  const unwatch = request.onGone?.(() => {
    isGone = true
  })
  let attempt: Attempt | undefined
  const ask = (): Attempt => {
    const { mcp, name } = entry.tool
    const { dryRun, input: asked } = takeDryRun(
      entry,
      { ...(mcp === false ? undefined : mcp?.defaults), ...(args as object | undefined) },
      false,
    )
    if (dryRun) throw new AppError('key_missing')
    const input = entry.parse(asked)
    const quote = quoteCall(deps.config, entry, input, `mcp://tool/${name}`)
    return new Attempt(deps, method, {
      quote,
      wanted: wantedText(quote),
      product: 'call',
      topUp: null,
      requestHash: requestHash(entry, input),
      payment,
      idempotencyKey: readIdempotencyKey(metaKey ?? headerKey, 'Idempotency-Key'),
      address: request.presented.address ?? '',
      country: countryOf(deps.config, request.headers),
      isGone: () => isGone,
    })
  }
  try {
    if (keyed && payment === undefined) {
      const result = await callTool(deps, call)
      return result.meta['finmeter/error'] === 'insufficient_credits' && isPayable(entry)
        ? withOffer(result, ask())
        : result
    }
    if (!isPayable(entry))
      throw new AppError(
        'key_missing',
        'Single calls of this tool cannot be paid. Call it with an API key of an account that has credits.',
      )
    attempt = ask()
    const result = await callTool(deps, { ...call, caller: await attempt.admit() })
    return dress(result, attempt, method)
  } catch (error) {
    const known = error instanceof AppError ? error : new AppError('internal_error')
    if (known !== error)
      deps.log.error({ requestId: record.requestId, tool: entry.tool.name, error: String(error) }, 'paid call failed')
    record.fail(known)
    return attempt ? dress(refused(known), attempt, method) : refused(known)
  } finally {
    await attempt?.end()
    unwatch?.()
  }
}

/** The result with the payment's receipt, and as the terms if it is to say how to pay. */
export function dress(result: CallResult, attempt: Attempt, method: PaymentMethod): CallResult {
  const paid = attempt.receipt
    ? { ...result, meta: { ...result.meta, [RESPONSE_META]: method.receipt(attempt.receipt) } }
    : result
  return attempt.wanted ? withOffer(paid, attempt) : paid
}

/** The terms in both forms that the protocol asks for; what a person would read is within them. */
function withOffer(result: CallResult, attempt: Attempt): CallResult {
  attempt.error ??= result.text
  const terms = attempt.offer()
  return { ...result, isError: true, terms, text: JSON.stringify(terms) }
}

/** The tools as the payment endpoint lists them: with the price of a single call, and without output schemas, because terms are answers, too. */
export function listWithPrices(
  { config }: Pick<Deps, 'config'>,
  network: string,
  tools: Pick<ToolSnapshot, 'all'>,
): McpTool[] {
  return tools.all
    .filter(({ tool }) => tool.mcp !== false)
    .map((entry) => {
      const { outputSchema: _, ...listed } = toMcpTool(entry)
      if (!isPayable(entry)) return listed
      const microUsd = microUsdOf(config, entry.tool.credits.credits)
      return { ...listed, _meta: { ...listed._meta, 'finmeter/price': { usd: usdText(microUsd).slice(1), network } } }
    })
}
