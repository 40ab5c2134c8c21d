import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  createTraceState,
  DiagLogLevel,
  diag,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { CallRecord, RequestSpan, Tracer } from '../http/call-record.ts'
import type { TracePlace } from '../http/trace-context.ts'
import type { TracerConfig } from './open-tracer.ts'

const NAME = 'finmeter'
/** The exporter would try for longer, but a stopping server does not wait for a collector that is gone. */
const LAST_SPANS_MS = 5_000

/** Records a span for each request, and one below it for each stage of its calls, and sends them to the collector. */
export function createTracer(config: TracerConfig, log: Logger): Tracer {
  reportTo(log)
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': NAME }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  const tracer = provider.getTracer(NAME)
  return {
    start(parent, tracestate, startedAtMs) {
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, remote(parent, tracestate)) : ROOT_CONTEXT
      // The name is known only after routing.
      const options = { kind: SpanKind.SERVER, startTime: epochMs(startedAtMs) }
      return new ServerSpan(tracer, tracer.startSpan('request', options, context))
    },
    async close() {
      const ended = provider.shutdown().then(
        () => true,
        () => false,
      )
      const late = sleep(LAST_SPANS_MS, false, { ref: false })
      if (!(await Promise.race([ended, late]))) log.warn('the last spans did not reach their collector')
    },
  }
}

class ServerSpan implements RequestSpan {
  readonly place: TracePlace
  readonly #tracer: OtelTracer
  readonly #span: Span

  constructor(tracer: OtelTracer, span: Span) {
    this.#tracer = tracer
    this.#span = span
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.place = { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }
  }

  end(record: CallRecord, { method, route, status }: { method: string; route: string; status: number }): void {
    const span = this.#span
    if (span.isRecording()) {
      span.updateName(`${method} ${route}`)
      span.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'finmeter.request_id': record.requestId,
        ...callAttributes(record),
      })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      for (let call: CallRecord | null = record; call; call = call.next) this.#stages(call)
    }
    span.end()
  }

  #stages(call: CallRecord): void {
    const { verifyingAtMs, verifiedAtMs, admittedAtMs, ranAtMs, committedAtMs } = call
    this.#stage('verify', verifyingAtMs, verifiedAtMs)
    this.#stage('admit', verifiedAtMs, admittedAtMs)
    this.#stage('tool', admittedAtMs, ranAtMs, callAttributes(call))
    this.#stage('commit', ranAtMs, committedAtMs)
  }

  /** A stage that the call did not reach has no span. */
  #stage(name: string, fromMs: number, toMs: number, attributes?: Attributes): void {
    if (fromMs === 0 || toMs === 0) return
    const below = trace.setSpan(ROOT_CONTEXT, this.#span)
    this.#tracer.startSpan(name, { startTime: epochMs(fromMs), attributes }, below).end(epochMs(toMs))
  }
}

const epochMs = (ms: number): number => performance.timeOrigin + ms

function remote({ traceId, spanId, sampled }: TracePlace, tracestate: unknown): SpanContext {
  return {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...(typeof tracestate === 'string' && { traceState: createTraceState(tracestate) }),
  }
}

/** Only IDs: never a key, an argument or an address. */
function callAttributes({ tool, result, accountId, keyId, receiptId }: CallRecord): Attributes {
  return {
    ...(tool !== null && { 'finmeter.tool': tool }),
    ...(result !== null && { 'finmeter.result': result }),
    ...(accountId !== null && { 'finmeter.account_id': accountId }),
    ...(keyId !== null && { 'finmeter.key_id': keyId }),
    ...(receiptId !== null && { 'finmeter.receipt_id': receiptId }),
  }
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: part }: TracerConfig): Sampler {
  const root = name.endsWith('traceidratio')
    ? new TraceIdRatioBasedSampler(part)
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler()
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Writes the SDK's messages, mainly that the collector does not respond, to our log. */
function reportTo(log: Logger): void {
  const line = (text: string): void => log.warn({ text }, 'OpenTelemetry')
  const nothing = (): void => {}
  diag.setLogger({ error: line, warn: line, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.WARN)
}
