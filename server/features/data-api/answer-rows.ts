import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { unexpected } from '../../http/error-handler.ts'
import { AppError } from '../../http/errors.ts'
import { problemAnswer } from '../../http/problem.ts'
import { callsOf, type Presented, type Verified, verifyPresented } from '../keys/credentials.ts'
import type { Table } from '../tools/define-tool.ts'
import { retirementHeaders } from '../tools/listing/retirement.ts'
import { type AnsweredCall, readIdempotencyKey } from '../tools/prepare.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { MOST_ROWS_AT_ONCE } from '../tools/rows/row-columns.ts'
import { runTool } from '../tools/run-tool.ts'
import { wordRefusal } from '../tools/word-refusal.ts'
import { meteringHeaders, refusalHeaders } from './answer-headers.ts'
import { etagOf, matches } from './etag.ts'
import { keepAnswers } from './kept-answers.ts'
import { projectColumns } from './project-columns.ts'
import { isLineFormat, PARQUET_TYPE, type RestBody, restBody } from './rest-body.ts'
import { type Format, queryReader, type RestQuery } from './rest-input.ts'
import { takeTurn } from './rows/export-turns.ts'
import { roundTable } from './rows/round-table.ts'

/** One request to the Data API after routing, independent of the framework. */
export interface RestRequest {
  record: CallRecord
  presented: Presented
  /** Decoded path parameters. */
  params: Record<string, string>
  /** The query string, without credentials. */
  query: string
  headers: IncomingHttpHeaders
  /** The parsed JSON body. */
  body?: unknown
  /** Whether the client has disconnected. */
  isGone: () => boolean
  /** Pays for the call with this input, in place of a key. Throws AppError. */
  payer?: (input: unknown) => Promise<Verified>
}

/** Answers a request with rows and their charge, or with a problem. Never throws. */
export type RestHandler = (request: RestRequest) => Promise<HttpAnswer>

/** Smaller responses fit into the buffers of the system. */
export const KEPT_FROM_BYTES = 64 * 1024
/** Writing more rows at once takes milliseconds, in which nothing else is served. */
const LONG_ROWS = 1_000

/** The handler of one tool with a `rest` binding, whatever transport carries the request. */
export function answerRows(deps: Deps, entry: RegisteredTool): RestHandler {
  const readQuery = queryReader(entry)
  const takesBody = entry.tool.rest?.method !== 'GET'
  const route = entry.tool.rest?.path ?? ''
  const retirement = retirementHeaders(entry.tool, deps.config.PUBLIC_URL)
  const kept = entry.tool.lasts === 'day' && !takesBody ? keepAnswers(deps.market) : null
  const queryOf = ({ params, query, headers }: RestRequest): RestQuery => readQuery(params, query, headers)
  const inputOf = ({ body }: RestRequest, query: RestQuery): Record<string, unknown> =>
    takesBody ? { ...query.input, ...bodyObject(body) } : query.input

  return async (request) => {
    let caller: Verified | undefined
    let leave: (() => void) | undefined
    let leaveQueue: (() => void) | null = null
    const record = request.record.call(entry.tool.name)
    record.verifyingAtMs = performance.now()
    try {
      const verifying = request.payer
        ? request.payer(inputOf(request, queryOf(request)))
        : verifyPresented(deps, request.presented, takesBody ? 'rest' : 'read')
      const key = verifying instanceof Promise ? await verifying : verifying
      record.verified(key)
      caller = key
      leave = deps.limits.enter('metered', callsOf(key))
      const place = kept?.(key, request)
      const known = place?.known
      const query = known?.query ?? queryOf(request)
      const input = inputOf(request, query)
      const idempotencyKey =
        key.payment?.idempotencyKey ?? readIdempotencyKey(request.headers['idempotency-key'], 'Idempotency-Key')
      const format = query.format ?? acceptedFormat(request.headers.accept)
      const streams = isLineFormat(format)
      const rows = Number((input as { limit?: unknown }).limit)
      if (streams && rows > MOST_ROWS_AT_ONCE) {
        leaveQueue = await deps.exports.enter(key.accountId, request.isGone)
        if (!leaveQueue) deps.pressure.refuse('export')
      }
      // Calls that arrived meanwhile go first.
      if (rows > LONG_ROWS) await takeTurn()
      let sent: Rendered | undefined
      let made: AnsweredCall | undefined
      const shape = (output: unknown, parsed: Record<string, unknown>) => {
        made = { input: parsed, output }
        if (known) {
          sent = { ...known, unchanged: matches(request.headers['if-none-match'], known.etag) }
          return { output, unchanged: sent.unchanged }
        }
        const projected = query.columns ? projectColumns(output as Table, query.columns) : output
        const shown = query.precision === undefined ? projected : roundTable(projected as Table, query.precision)
        const body = restBody(entry, shown, format)
        const etag = takesBody ? null : etagOf(body, shown, request)
        sent = { body, etag, unchanged: etag !== null && matches(request.headers['if-none-match'], etag) }
        return { output: shown, unchanged: sent.unchanged }
      }
      const call = {
        entry,
        input,
        caller: key,
        record,
        idempotencyKey,
        streams,
        estimatesValues: true,
        shape,
        answered: known?.answered,
      }
      const answer = await runTool(deps, call)
      const { body, etag, unchanged } = sent!
      if (place && !known && etag !== null && !('dry_run' in input)) place.keep({ query, answered: made!, body, etag })
      const headers = meteringHeaders(answer)
      if (retirement) Object.assign(headers, retirement(input))
      if (body.nextCursor !== null) headers['x-next-cursor'] = body.nextCursor
      headers['x-request-id'] = record.requestId
      headers['cache-control'] = takesBody ? 'private, no-store' : 'private, no-cache'
      if (etag !== null) headers.etag = etag
      if (unchanged) return { status: 304, headers, body: '' }
      headers['content-type'] = body.contentType
      if (body.content instanceof Readable) {
        // A stream counts until its last row is sent, or the client is gone.
        const ends = [leave, leaveQueue]
        body.content.once('close', () => {
          for (const end of ends) end?.()
        })
        leave = undefined
        leaveQueue = null
        return { status: 200, headers, body: body.content }
      }
      const answered: HttpAnswer = { status: 200, headers, body: body.content }
      if (body.content.length > KEPT_FROM_BYTES) answered.sent = deps.pressure.keep(key.accountId, body.content.length)
      return answered
    } catch (error) {
      return problemOf(deps, error, { record, caller, route, headers: retirement?.({}) })
    } finally {
      leave?.()
      leaveQueue?.()
    }
  }
}

/** The problem that a failed call is answered with. Counts and records it. */
export function problemOf(
  deps: Deps,
  error: unknown,
  {
    record,
    caller,
    route,
    headers,
  }: { record: CallRecord; caller: Verified | undefined; route: string; headers?: Record<string, string> | undefined },
): HttpAnswer {
  const { requestId } = record
  const known = error instanceof AppError ? error : unexpected(error as Error, { requestId, route }, deps.log)
  record.fail(known)
  deps.refusals.count(caller, known, record.tool)
  return problemAnswer(wordRefusal(known, deps.config.REST_PURCHASE), requestId, {
    ...refusalHeaders(error),
    ...headers,
  })
}

interface Rendered {
  body: RestBody
  /** null for POST, whose answers are never revalidated. */
  etag: string | null
  unchanged: boolean
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>
  throw new AppError('bad_json', 'The request body must be a JSON object.')
}

/**
 * `Accept: text/csv`, `application/x-ndjson` and Parquet's type choose a format like the parameter does; anything else
 * means JSON.
 */
function acceptedFormat(accept: string | undefined): Format {
  const first = accept?.split(/[,;]/, 1)[0]?.trim().toLowerCase()
  if (first === 'text/csv') return 'csv'
  if (first === PARQUET_TYPE) return 'parquet'
  return first === 'application/x-ndjson' ? 'ndjson' : 'json'
}
