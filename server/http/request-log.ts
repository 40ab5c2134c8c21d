import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { CallRecord } from './call-record.ts'
import { patternOf } from './error-handler.ts'
import { writeTraceparent } from './trace-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    record: CallRecord
  }
}

export interface RequestFacts {
  method: string
  /** The route's pattern: paths and queries may contain secrets. */
  route: string
  status: number
}

type Observer = (record: CallRecord, facts: RequestFacts) => void

type Needs = Pick<Deps, 'config' | 'log' | 'metrics'>

/** Records a finished request in the log, the metrics and its trace. */
export function requestObserver(deps: Needs): Observer {
  const { metrics } = deps
  const observeCalls = callObserver(deps)
  return (record, facts) => {
    metrics?.request(facts, performance.now() - record.startedAtMs)
    observeCalls(record, facts)
    record.span?.end(record, facts)
  }
}

/**
 * Counts the calls of a request, and writes a line for each at level info (one if there was none). A call that took SLOW_CALL_MS or
 * longer is logged at level warn, with the time of each stage.
 */
export function callObserver({ config, log, metrics }: Needs): Observer {
  const slowMs = config.SLOW_CALL_MS || Number.POSITIVE_INFINITY
  const everything = log.isLevelEnabled('info')
  return (record, facts) => {
    for (let call: CallRecord | null = record; call; call = call.next) {
      if (call.tool !== null) metrics?.call(call)
      const ms = performance.now() - call.startedAtMs
      if (call.tool !== null && ms >= slowMs) log.warn({ ...lineOf(call, facts, ms), ...stagesOf(call) }, 'slow call')
      else if (everything) log.info(lineOf(call, facts, ms), 'request')
    }
  }
}

function lineOf(call: CallRecord, facts: RequestFacts, ms: number): Record<string, unknown> {
  const { requestId, trace, tool, result, accountId, keyId, receiptId } = call
  const known = Object.entries({ tool, result, accountId, keyId, receipt: receiptId, traceId: trace?.traceId ?? null })
  return { requestId, ...facts, ms: Math.round(ms), ...Object.fromEntries(known.filter(([, value]) => value !== null)) }
}

/** How long each stage that the call reached took. The rest is reading the request and writing the response. */
function stagesOf({ verifyingAtMs, verifiedAtMs, admittedAtMs, ranAtMs, committedAtMs }: CallRecord) {
  const marks = { verifyMs: verifiedAtMs, admitMs: admittedAtMs, toolMs: ranAtMs, commitMs: committedAtMs }
  const stages: Record<string, number> = {}
  let fromMs = verifyingAtMs
  for (const [name, atMs] of Object.entries(marks)) {
    if (atMs === 0) continue
    if (fromMs > 0) stages[name] = Math.round(atMs - fromMs)
    fromMs = atMs
  }
  return stages
}

/** Observes every request that goes through Fastify, and sends the IDs that identify it. */
export function registerRequestLog(app: FastifyInstance, deps: Needs & Pick<Deps, 'tracer'>): void {
  const observe = requestObserver(deps)
  app.decorateRequest('record', null as unknown as CallRecord)
  app.addHook('onRequest', (request, _reply, done) => {
    request.record = new CallRecord(request.id, request.headers, deps.tracer)
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!reply.hasHeader('x-request-id')) reply.header('x-request-id', request.id)
    if (request.record?.trace) reply.header('traceparent', writeTraceparent(request.record.trace))
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    observe(request.record, {
      method: request.method,
      route: request.record.route ?? patternOf(request),
      status: reply.statusCode,
    })
    done()
  })
}
