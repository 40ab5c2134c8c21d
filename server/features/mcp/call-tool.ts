import type { Deps } from '../../deps.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { errorHeaders } from '../../http/problem.ts'
import { meteringHeaders, refusalHeaders } from '../data-api/answer-headers.ts'
import { callsOf } from '../keys/credentials.ts'
import type { Caller } from '../metering/meter.ts'
import type { CallClient } from '../tools/define-tool.ts'
import { readIdempotencyKey } from '../tools/prepare.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { runTool } from '../tools/run-tool.ts'
import type { ToolAnswer } from '../tools/settle.ts'
import { wordRefusal } from '../tools/word-refusal.ts'
import { bodyResult } from './body-result.ts'
import type { McpRequest, ReplyHeaders } from './message.ts'
import { previewForModels } from './model-preview.ts'
import { messageWithSuggestions } from './suggest.ts'

export const IDEMPOTENCY_META = 'finmeter/idempotency-key'
/** Where a client puts the payment of a call (x402). */
export const PAYMENT_META = 'x402/payment'

/** The result of `tools/call` before either path writes it. */
export interface CallResult {
  isError: boolean
  /** The content of the one text block: the output as compact JSON, or what is wrong and what to do. */
  text: string
  /** Only for successes; `text` is its JSON, unless there is `content`. */
  structured?: unknown
  /** How to pay for a call that was refused. `text` is its JSON. */
  terms?: Record<string, unknown>
  /** Blocks instead of the text. */
  content?: unknown[]
  meta: Record<string, unknown>
  /** For the HTTP reply. */
  headers: ReplyHeaders
}

/** A call as it is in its message. */
export interface ClientCall {
  caller: Caller
  entry: RegisteredTool
  args: unknown
  metaKey: unknown
  headerKey: unknown
  /** Of a client that pays for the call. */
  payment?: unknown
  record: CallRecord
  /** Of a client that asked to hear of progress. */
  progress?: CallClient['progress']
  /** Of a client at an address that says nothing about buying. */
  purchase?: McpRequest['purchase']
  /** Of a client that cancels by disconnecting, as protocol 2026-07-28 says. */
  onGone?: McpRequest['onGone']
}

/**
 * Calls a tool for a client. Never throws: refusals (credits, limits, arguments, unknown symbols) become tool errors in
 * plain words with the next step, so that a model can read and fix them and the connection does not look broken. An
 * idempotency key is read from the message's `_meta`, else from the header.
 */
export async function callTool(
  deps: Deps,
  { caller, entry, args, metaKey, headerKey, record, progress, onGone, purchase }: ClientCall,
): Promise<CallResult> {
  let leave: (() => void) | undefined
  let unwatch: (() => void) | undefined
  try {
    leave = deps.limits.enter('metered', callsOf(caller))
    const idempotencyKey =
      caller.payment?.idempotencyKey ??
      (metaKey === undefined
        ? readIdempotencyKey(headerKey, 'Idempotency-Key')
        : readIdempotencyKey(metaKey, IDEMPOTENCY_META))
    const defaults = entry.tool.mcp === false ? undefined : entry.tool.mcp?.defaults
    // A client with a key may ask again, and then gets the answer of the work that it left.
    const canceled = isLive(entry) && onGone && idempotencyKey === undefined ? new AbortController() : undefined
    unwatch = canceled && onGone?.(() => canceled.abort())
    const answer = await runTool(deps, {
      entry,
      input: { ...defaults, ...(args as object | undefined) },
      caller,
      record,
      idempotencyKey,
      shape: previewForModels,
      forAi: true,
      ...(isLive(entry) && { client: { progress, canceled: canceled?.signal } }),
    })
    if (entry.tool.kind === 'body') {
      if (record.result === 'failed')
        deps.refusals.count(caller, { code: 'upstream reported an error', status: 502 }, entry.tool.name)
      const { meta, ...result } = await bodyResult(answer)
      return { ...result, meta: { ...answerMeta(answer), ...meta }, headers: meteringHeaders(answer) }
    }
    return {
      isError: false,
      text: JSON.stringify(answer.output),
      structured: answer.output,
      meta: answerMeta(answer),
      headers: meteringHeaders(answer),
    }
  } catch (error) {
    if (error instanceof AppError) {
      record.fail(error)
      deps.refusals.count(caller, error, entry.tool.name)
      return refused(wordRefusal(error, purchase ?? deps.config.MCP_PURCHASE))
    }
    deps.log.error({ requestId: record.requestId, tool: entry.tool.name, error: String(error) }, 'tool call failed')
    const unexpected = new AppError('internal_error')
    record.fail(unexpected)
    deps.refusals.count(caller, unexpected, entry.tool.name)
    return refused(unexpected)
  } finally {
    unwatch?.()
    leave?.()
  }
}

/** Whether calls of a tool can report progress, and be taken back. */
export const isLive = ({ tool }: RegisteredTool): boolean => tool.mcp !== false && tool.mcp?.live === true

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

/** The result of a call that was refused, in plain words with the next step. */
export function refused(error: AppError): CallResult {
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
