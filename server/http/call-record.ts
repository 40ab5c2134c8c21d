import type { IncomingHttpHeaders } from 'node:http'
import type { AppError } from './errors.ts'
import { requestIdOf } from './request-id.ts'
import { readTraceparent, type TracePlace, unrecordedPlace, writeTraceparent } from './trace-context.ts'

/** How a call ended, for counting. */
export type CallResult = 'success' | 'replayed' | 'refused' | 'unavailable' | 'failed'

/** The span of a request that is being traced. `end` is called once, after the response. */
export interface RequestSpan {
  readonly place: TracePlace
  end: (record: CallRecord, facts: { method: string; route: string; status: number }) => void
}

/** Begins spans. Absent: no spans are recorded. */
export interface Tracer {
  start: (parent: TracePlace | null, tracestate: unknown, startedAtMs: number) => RequestSpan
  /** Sends the remaining spans. */
  close: () => Promise<void>
}

/**
 * The facts about one request, and about the call that it makes, from which its log line, metrics and spans are created after the
 * response. Never a secret. Times are from `performance.now()`; 0: not reached.
 */
export class CallRecord {
  readonly requestId: string
  readonly startedAtMs = performance.now()
  /** Null without a tracer. */
  readonly span: RequestSpan | null = null
  /** Our place in the caller's trace, or in our own. Null: no trace. */
  readonly trace: TracePlace | null = null
  /** The pattern of the path, where one route of the framework serves many. */
  route: string | null = null
  /** A tool's name; `unknown` for any other. Null: no call was made. */
  tool: string | null = null
  result: CallResult | null = null
  /** Null before the key is known, and for the demo key. */
  accountId: number | null = null
  keyId: number | null = null
  receiptId: string | null = null
  verifyingAtMs = 0
  verifiedAtMs = 0
  admittedAtMs = 0
  ranAtMs = 0
  committedAtMs = 0
  /** The next call of the same request, because MCP has batches. */
  next: CallRecord | null = null

  constructor(requestId: string, headers?: IncomingHttpHeaders, tracer?: Tracer | null) {
    this.requestId = requestId
    if (headers === undefined) return
    const parent = headers.traceparent === undefined ? null : readTraceparent(headers.traceparent)
    if (tracer) {
      this.span = tracer.start(parent, headers.tracestate, this.startedAtMs)
      this.trace = this.span.place
    } else if (parent) this.trace = unrecordedPlace(parent)
  }

  /** The record of a request as it arrived. */
  static of(headers: IncomingHttpHeaders, tracer: Tracer | null): CallRecord {
    return new CallRecord(requestIdOf(headers), headers, tracer)
  }

  /** Records the account and key of the call. The demo key has no account. */
  verified({ accountId, keyId }: { accountId: number; keyId: number | null }): void {
    this.verifiedAtMs = performance.now()
    if (accountId < 0) return
    this.accountId = accountId
    this.keyId = keyId
  }

  /** The record of one call of this request. */
  call(tool: string): CallRecord {
    if (this.tool === null) {
      this.tool = tool
      return this
    }
    const another = new CallRecord(this.requestId)
    another.accountId = this.accountId
    another.keyId = this.keyId
    another.tool = tool
    let last: CallRecord = this
    while (last.next) last = last.next
    last.next = another
    return another
  }

  /** Records the error that the caller gets. */
  fail({ status }: AppError): void {
    // 503: the call could not be committed, or this server was overloaded; the tool is not to blame.
    this.result = status < 500 ? 'refused' : status === 503 ? 'unavailable' : 'failed'
  }

  /** Adds the headers that identify the response, apart from `x-request-id`. */
  addTo(headers: Record<string, string>): void {
    if (this.trace) headers.traceparent = writeTraceparent(this.trace)
  }
}
