import { createServer } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Deps } from './deps.ts'

/** Serves /metrics on METRICS_HOST at `port`, separate from the public listener. Returns the function that stops it. */
export async function startMetrics(
  {
    config,
    listener,
    limiter,
    meter,
    pressure,
    exports: queue,
  }: Pick<Deps, 'config' | 'listener' | 'limiter' | 'meter' | 'pressure' | 'exports'>,
  port: number,
): Promise<() => Promise<void>> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'finmeter_' })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `finmeter_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  // The meter counts; its counters are copied on request.
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `finmeter_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  gauge('listener_connected', '1 while this instance receives revocations; at 0 it caches no key.', () =>
    listener.connected ? 1 : 0,
  )
  // Where limits are in memory by choice there is nothing to report; a 0 would be an alarm.
  if (limiter.shared !== null)
    gauge(
      'limits_shared',
      '1 while rate limits are counted in Redis; 0 while Redis does not answer and each instance counts for itself.',
      () => (limiter.shared ? 1 : 0),
    )
  gauge('meter_waiting_calls', 'Calls waiting for their commit.', () => meter.figures().waiting)
  counter('meter_batches', 'Transactions that committed calls.', () => meter.figures().batches)
  counter('meter_settled_calls', 'Calls charged, replayed or refused by a commit.', () => meter.figures().settled)
  counter(
    'meter_unavailable_calls',
    'Calls answered with 503 and not charged, because their commit failed.',
    () => meter.figures().unavailable,
  )
  gauge('unsent_bytes', 'Bytes of large responses that wait for their clients.', () => pressure.unsentBytes())
  gauge('exports_running', 'Exports that are being sent.', () => queue.figures().running)
  gauge('exports_waiting', 'Exports that wait for their turn.', () => queue.figures().waiting)
  new Counter({
    name: 'finmeter_shed_calls_total',
    help: 'Calls answered with 503 and not charged, because this instance was overloaded, by cost.',
    labelNames: ['cost'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [cost, count] of Object.entries(pressure.shed())) this.inc({ cost }, count)
    },
  })
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, config.METRICS_HOST, done))
  return () =>
    new Promise((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
}
