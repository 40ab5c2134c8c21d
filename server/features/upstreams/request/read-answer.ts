import type { Dispatcher } from 'undici'
import { ownOf } from '../../../json-schema/own-of.ts'
import type { UpstreamRequest } from './build-request.ts'
import { UpstreamFailure } from './failure.ts'

const USUAL = ['content-type', 'content-language', 'content-disposition', 'etag', 'last-modified', 'retry-after']
/** What a browser that opens the address would run as a page of our own origin. */
const ACTIVE = /html|xml|svg|script|css/i

export interface AnswerHead {
  status: number
  headers: Record<string, string | string[] | undefined>
}

export interface Reading {
  /** Bytes, as they are sent. */
  mostBytes: number
  /** Looks at the head before the body is read. Throws UpstreamFailure for an answer that is not wanted. */
  accept: (head: AnswerHead) => void
}

/**
 * Sends a request and reads its answer to the end, without a stream for it. Throws UpstreamFailure for no answer (`unanswered`), one that
 * breaks off, is too long or not accepted, and the signal's reason when it aborts before an answer.
 */
export function readWhole(
  dispatcher: Dispatcher,
  { method, path, headers, body }: UpstreamRequest,
  signal: AbortSignal,
  { mostBytes, accept }: Reading,
): Promise<AnswerHead & { body: Buffer }> {
  return new Promise((done, failed) => {
    let head: AnswerHead | undefined
    let controller: Dispatcher.DispatchController | undefined
    const chunks: Buffer[] = []
    let bytes = 0
    const abort = (): void => controller?.abort(signal.reason as Error)
    signal.addEventListener('abort', abort)
    const fail = (cause: unknown): void => {
      signal.removeEventListener('abort', abort)
      if (cause instanceof UpstreamFailure) failed(cause)
      else if (head) failed(new UpstreamFailure('the body broke off', { cause }))
      else if (signal.aborted) failed(signal.reason)
      else failed(new UpstreamFailure(`no answer: ${codeOf(cause)}`, { unanswered: true, cause }))
    }
    try {
      dispatcher.dispatch(
        { method, path, headers, body },
        {
          onRequestStart(given) {
            controller = given
            if (signal.aborted) abort()
          },
          onResponseStart(given, status, fields) {
            if (status < 200) return
            head = { status, headers: fields }
            try {
              accept(head)
            } catch (error) {
              given.abort(error as Error)
            }
          },
          onResponseData(given, chunk) {
            bytes += chunk.length
            if (bytes > mostBytes)
              given.abort(new UpstreamFailure(`the body has more than ${mostBytes} bytes`, { ofOneCall: true }))
            else chunks.push(chunk)
          },
          onResponseEnd() {
            signal.removeEventListener('abort', abort)
            done({ ...head!, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) })
          },
          onResponseError: (_given, error) => fail(error),
        },
      )
    } catch (error) {
      fail(error)
    }
  })
}

/** What went wrong, without addresses or headers. */
export const codeOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}

/**
 * Throws UpstreamFailure for answers that are not for the customer: they speak of the operator's credential, what the operator has to pay,
 * its limits, or another address.
 */
export function refuseFailed({ status, headers }: AnswerHead): void {
  if (status >= 200 && status < 500 && (status < 300 || status >= 400) && ![401, 402, 407, 429].includes(status)) return
  const meaning =
    status === 402
      ? ': it wants to be paid'
      : status === 401 || status === 407
        ? ': it does not accept the credential'
        : ''
  throw new UpstreamFailure(`it answered ${status}${meaning}`, {
    ofOneCall: status < 400,
    retryAfterS: retryAfterOf(headers),
    refused: status < 500 && status >= 400,
  })
}

/** Seconds or a date (RFC 9110, 10.2.3); undefined: neither, or not within a day. */
function retryAfterOf({ 'retry-after': given }: AnswerHead['headers']): number | undefined {
  const text = String(given)
  const after = / GMT$/.test(text) ? (Date.parse(text) - Date.now()) / 1_000 : Number(text)
  return after > 0 && after < 86_400 ? Math.ceil(after) : undefined
}

/** The headers that customers may get: the usual ones and `more`, which the manifest names. */
export function headersForCustomers(
  given: Record<string, string | string[] | undefined>,
  more: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of [...USUAL, ...more]) {
    const value = ownOf(given, name)
    if (value !== undefined) passed[name] = Array.isArray(value) ? value.join(', ') : value
  }
  if (ACTIVE.test(passed['content-type'] ?? '')) passed['content-disposition'] = 'attachment'
  return passed
}

/** A `content-encoding` in lower case, so that it can be compared; empty if there is none. */
export const encodingName = (encoding: string | undefined): string => encoding?.trim().toLowerCase() ?? ''
/** Whether this `content-encoding` leaves the body as it is. */
export const isPlain = (encoding: string | undefined): boolean => ['identity', ''].includes(encodingName(encoding))
