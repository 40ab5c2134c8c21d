import { createServer } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Deps } from '../deps.ts'
import { ageOf, secondsSince } from '../features/market-data/dataset-age.ts'
import { type Queue, readQueues } from './queues.ts'

/** A scrape must not wait for a database that does not respond. */
const QUEUES_TIMEOUT_MS = 2_000

/** Serves /metrics on METRICS_HOST at `port`, separate from the public listener. Returns the function that stops it. */
export async function startMetrics(
  {
    config,
    db,
    listener,
    limiter,
    market,
    metrics,
    meter,
    pressure,
    exports: queue,
  }: Pick<Deps, 'config' | 'db' | 'listener' | 'limiter' | 'market' | 'metrics' | 'meter' | 'pressure' | 'exports'>,
  port: number,
): Promise<() => Promise<void>> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'finmeter_' })
  metrics?.register(registry)
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
    'Calls that got a 503 and were not charged, because their commit failed.',
    () => meter.figures().unavailable,
  )
  gauge('pool_connections', 'Open connections of the pool to PostgreSQL.', () => db.pool.totalCount)
  gauge('pool_idle_connections', 'Connections of the pool that are not in use.', () => db.pool.idleCount)
  gauge('pool_waiting_queries', 'Queries that wait for a connection.', () => db.pool.waitingCount)
  showQueues(registry, db)
  gauge('unsent_bytes', 'Bytes of large responses that wait for their clients.', () => pressure.unsentBytes())
  gauge('exports_running', 'Exports that are being sent.', () => queue.figures().running)
  gauge('exports_waiting', 'Exports that wait for their turn.', () => queue.figures().waiting)
  new Gauge({
    name: 'finmeter_dataset_age_seconds',
    help: 'Time since the source of a fetched dataset was last read without a problem.',
    labelNames: ['dataset'],
    registers: [registry],
    collect() {
      this.reset()
      for (const age of agesOf(market)) this.set({ dataset: age.dataset }, secondsSince(age, Date.now()))
    },
  })
  new Gauge({
    name: 'finmeter_dataset_stale',
    help: '1 while a fetched dataset is older than its connector allows.',
    labelNames: ['dataset'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { dataset, stale } of agesOf(market)) this.set({ dataset }, Number(stale))
    },
  })
  new Counter({
    name: 'finmeter_shed_calls_total',
    help: 'Calls that got a 503 and were not charged, because this instance was overloaded, by cost.',
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
  // Exclusive: of several WORKERS, each serves its own figures.
  const place = { port, host: config.METRICS_HOST, exclusive: true }
  await new Promise<void>((done, failed) => server.once('error', failed).listen(place, done))
  return () =>
    new Promise((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
}

const agesOf = ({ current }: Deps['market']) =>
  current.manifests.flatMap((manifest) => ageOf(manifest, Date.now()) ?? [])

/**
 * The work that waits in the database for any instance; every instance reports the same. Absent while the database does not
 * respond.
 */
function showQueues(registry: Registry, db: Deps['db']): void {
  let reading: Promise<Queue[]> | null = null
  // Both gauges use the same reading in a scrape.
  const current = (): Promise<Queue[]> => {
    reading ??= readQueues(db, QUEUES_TIMEOUT_MS)
      .catch(() => [])
      .finally(() => {
        reading = null
      })
    return reading
  }
  const gauge = (name: string, help: string, read: (queue: Queue) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers: [registry],
      async collect() {
        const queues = await current()
        this.reset()
        for (const queue of queues) this.set({ queue: queue.queue }, read(queue))
      },
    })
  gauge('finmeter_queue_waiting', 'Entries of a queue in the database.', ({ waiting }) => waiting)
  gauge(
    'finmeter_queue_oldest_seconds',
    'How long the oldest entry of a queue in the database has been waiting.',
    ({ oldestSeconds }) => oldestSeconds,
  )
}
