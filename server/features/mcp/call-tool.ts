import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { errorHeaders } from '../../http/problem.ts'
import { meteringHeaders, refusalHeaders } from '../data-api/answer-headers.ts'
import type { Caller } from '../metering/meter.ts'
import { readIdempotencyKey } from '../tools/idempotency-key.ts'
import type { RegisteredTool } from '../tools/registry.ts'
import { runTool, type ToolAnswer } from '../tools/run-tool.ts'
import type { ReplyHeaders } from './message.ts'
import { previewForModels } from './model-preview.ts'
import { messageWithSuggestions } from './suggest.ts'

export const IDEMPOTENCY_META = 'finmeter/idempotency-key'

/** The result of `tools/call` before either path writes it. */
export interface CallResult {
  isError: boolean
  /** The content of the one text block: the output as compact JSON, or what is wrong and what to do. */
  text: string
  /** Only for successes; `text` is its JSON. */
  structured?: unknown
  meta: Record<string, string | number | boolean>
  /** For the HTTP reply. */
  headers: ReplyHeaders
}

/**
 * Calls a tool for a client. Never throws: refusals (credits, limits, arguments, unknown symbols) become tool errors in
 * plain words with the next step, so that a model can read and fix them and the connection does not look broken. An
 * idempotency key is read from the message's `_meta`, else from the header.
 */
export async function callTool(
  deps: Deps,
  caller: Caller,
  entry: RegisteredTool,
  args: unknown,
  metaKey: unknown,
  headerKey: unknown,
): Promise<CallResult> {
  const leave = enter(caller)
  if (!leave) return refused(new AppError('rate_limited', TOO_MANY, { retryAfterSeconds: 1 }))
  try {
    const idempotencyKey =
      metaKey === undefined
        ? readIdempotencyKey(headerKey, 'Idempotency-Key')
        : readIdempotencyKey(metaKey, IDEMPOTENCY_META)
    const defaults = entry.tool.mcp === false ? undefined : entry.tool.mcp?.defaults
    const answer = await runTool(deps, {
      entry,
      input: { ...defaults, ...(args as object | undefined) },
      caller,
      idempotencyKey,
      shape: previewForModels,
    })
    return {
      isError: false,
      text: JSON.stringify(answer.output),
      structured: answer.output,
      meta: answerMeta(answer),
      headers: meteringHeaders(answer),
    }
  } catch (error) {
    if (error instanceof AppError) {
      deps.refusals.count(caller, error)
      return refused(error)
    }
    deps.log.error({ tool: entry.tool.name, error: String(error) }, 'tool call failed')
    return refused(new AppError('internal_error'))
  } finally {
    leave()
  }
}

const MAX_CALLS_AT_ONCE = 256
const TOO_MANY = `${MAX_CALLS_AT_ONCE} calls of this key are in progress. Wait for one to finish. Nothing was charged.`
const underWay = new Map<number, number>()

/** Counts a running call of this key. Returns the function that ends it, or null when there are too many. */
function enter({ keyId, accountId }: Caller): (() => void) | null {
  const who = keyId ?? -accountId
  const count = underWay.get(who) ?? 0
  if (count >= MAX_CALLS_AT_ONCE) return null
  underWay.set(who, count + 1)
  return () => {
    const left = underWay.get(who)! - 1
    if (left > 0) underWay.set(who, left)
    else underWay.delete(who)
  }
}

function answerMeta({
  receiptId,
  creditsCharged,
  creditsRemaining,
  unlimited,
  replayed,
}: ToolAnswer): CallResult['meta'] {
  return {
    ...(receiptId !== null && { 'finmeter/receipt-id': receiptId }),
    'finmeter/credits-charged': creditsCharged,
    ...(unlimited
      ? { 'finmeter/credits-remaining': 'unlimited' }
      : creditsRemaining !== null && { 'finmeter/credits-remaining': creditsRemaining }),
    ...(replayed && { 'finmeter/replayed': true }),
  }
}

function refused(error: AppError): CallResult {
  const { retryAfterSeconds, help } = error.detail
  const text = [
    messageWithSuggestions(error),
    help === undefined || error.message.includes(help) ? '' : `What to do: ${help}`,
  ]
  return {
    isError: true,
    text: text.filter(Boolean).join(' '),
    meta: {
      'finmeter/error': error.code,
      'finmeter/credits-charged': 0,
      ...(retryAfterSeconds !== undefined && { 'finmeter/retry-after': retryAfterSeconds }),
    },
    headers: { ...errorHeaders(error), ...refusalHeaders(error) },
  }
}
