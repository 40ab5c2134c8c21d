import type { Dispatcher } from 'undici'
import type { UpstreamRequest } from './build-request.ts'
import { UpstreamFailure } from './failure.ts'

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
