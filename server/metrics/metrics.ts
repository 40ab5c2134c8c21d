import type { Registry } from 'prom-client'
import type { CallRecord, CallResult } from '../http/call-record.ts'
import { Counter, type CounterSeries, Histogram, type HistogramSeries } from './series.ts'

/** The counters of this process for /metrics. Only names that we chose become labels, never text from a caller. */
export interface Metrics {
  /** A request with a response. `route` is a pattern. */
  request: (facts: { method: string; route: string; status: number }, ms: number) => void
  /** A call of a tool, however it ended. */
  call: (record: CallRecord) => void
  /** A committed batch. */
  batch: (calls: number, ms: number) => void
  /** How long a query waited for a connection of the pool. */
  poolWait: (ms: number) => void
  /** A run of a job. */
  job: (name: string, result: 'success' | 'failed', ms: number) => void
  /** An answer of an upstream that could not be used, or that did not fit its description. */
  upstream: (id: string, event: 'failed' | 'drift' | 'cached') => void
  /** Adds all of it to `registry`. */
  register: (registry: Registry) => void
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const JOB_SECONDS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900]
const CALLS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A duration and a count per outcome. */
interface Timed<K> {
  seconds: HistogramSeries
  outcomes: Map<K, CounterSeries>
}

/** Creates the counters, all at zero. */
export function createMetrics(): Metrics {
  const all: { register: (registry: Registry) => void }[] = []
  const keep = <M extends (typeof all)[number]>(metric: M): M => {
    all.push(metric)
    return metric
  }
  const requests = keep(
    new Counter('finmeter_http_requests_total', 'Requests with a response.', ['method', 'route', 'status']),
  )
  const requestSeconds = keep(
    new Histogram<'method' | 'route'>(
      'finmeter_http_request_duration_seconds',
      'Time from a request to its response.',
      SECONDS,
    ),
  )
  const calls = keep(
    new Counter(
      'finmeter_tool_calls_total',
      'Calls of tools: success, replayed, refused (4xx), unavailable (503) or failed.',
      ['tool', 'result'],
    ),
  )
  const toolSeconds = keep(
    new Histogram<'tool'>(
      'finmeter_tool_duration_seconds',
      'Time that a tool ran, without admission and commit.',
      SECONDS,
    ),
  )
  const jobs = keep(new Counter('finmeter_job_runs_total', 'Runs of jobs on this instance.', ['task', 'result']))
  const jobSeconds = keep(new Histogram<'task'>('finmeter_job_duration_seconds', 'Time that a job ran.', JOB_SECONDS))
  const upstreamEvents = keep(
    new Counter(
      'finmeter_upstream_events_total',
      'Answers of upstreams that could not be used (failed), did not fit their description (drift), or came from the cache (cached).',
      ['upstream', 'event'],
    ),
  )
  const [batchSeconds, batchCalls, waitSeconds] = [
    keep(new Histogram('finmeter_commit_duration_seconds', 'Time from a batch to its known outcome.', SECONDS)),
    keep(new Histogram('finmeter_commit_batch_calls', 'Calls in a committed batch.', CALLS)),
    keep(
      new Histogram('finmeter_pool_wait_seconds', 'Time that a query waited for a connection to PostgreSQL.', SECONDS),
    ),
  ].map((histogram) => histogram.series({}))

  const byRoute = new Map<string, Map<string, Timed<number>>>()
  const byTool = new Map<string, Timed<CallResult>>()
  const byJob = new Map<string, Timed<string>>()
  const byUpstream = new Map<string, CounterSeries>()

  return {
    request({ method: sent, route, status }, ms) {
      const method = METHODS.has(sent) ? sent : 'other'
      const one = found(
        found(byRoute, route, () => new Map<string, Timed<number>>()),
        method,
        () => ({ seconds: requestSeconds.series({ method, route }), outcomes: new Map() }),
      )
      one.seconds.observe(ms / 1000)
      found(one.outcomes, status, () => requests.series({ method, route, status: String(status) })).count++
    },
    call({ tool, result: known, admittedAtMs, ranAtMs }) {
      if (tool === null) return
      const result = known ?? 'failed'
      const one = found(byTool, tool, () => ({ seconds: toolSeconds.series({ tool }), outcomes: new Map() }))
      if (ranAtMs > 0) one.seconds.observe((ranAtMs - admittedAtMs) / 1000)
      found(one.outcomes, result, () => calls.series({ tool, result })).count++
    },
    batch(size, ms) {
      batchSeconds!.observe(ms / 1000)
      batchCalls!.observe(size)
    },
    poolWait: (ms) => waitSeconds!.observe(ms / 1000),
    // Prometheus itself sets the label job.
    job(task, result, ms) {
      const one = found(byJob, task, () => ({ seconds: jobSeconds.series({ task }), outcomes: new Map() }))
      one.seconds.observe(ms / 1000)
      found(one.outcomes, result, () => jobs.series({ task, result })).count++
    },
    upstream(id, event) {
      found(byUpstream, `${id} ${event}`, () => upstreamEvents.series({ upstream: id, event })).count++
    },
    register(registry) {
      for (const metric of all) metric.register(registry)
    },
  }
}

function found<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
