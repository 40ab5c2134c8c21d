import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { startToolServer, type ToolServer } from '#server/features/tools/testing/tool-server.ts'
import { startJobs } from '#server/jobs.ts'
import { Histogram } from './series.ts'
import { startMetrics } from './start-metrics.ts'

let server: ToolServer
let key: string
beforeAll(async () => {
  server = await startToolServer(undefined, { METRICS_PORT: '0' })
  key = (await server.key({ credits: 1000 })).value
})
afterAll(() => server?.close())

async function scrape(deps = server.deps): Promise<string> {
  const port = await freePort()
  const stop = await startMetrics(deps, port)
  try {
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  } finally {
    await stop()
  }
}
/** The values of /metrics by name and labels. */
const read = async (deps = server.deps): Promise<Record<string, number>> =>
  Object.fromEntries(
    [...(await scrape(deps)).matchAll(/^(finmeter_\S+) (\S+)$/gm)].map((found) => [found[1]!, Number(found[2])]),
  )
/** The amount that `work` adds to each series. */
async function added(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await read()
  await work()
  const after = await read()
  const changed = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)] as const)
  return Object.fromEntries(changed.filter(([, change]) => change !== 0))
}

const get = async (path: string, method = 'GET') => {
  const answer = await fetch(server.url + path, { method, headers: { 'x-api-key': key } })
  await answer.arrayBuffer()
  return answer
}
const mcp = async (name: string, args: object = {}) => {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  await answer.text()
}
const raw = async (bytes: string) => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

test('requests are counted by method, pattern and status, in the raw lane and in the framework alike', async () => {
  const change = await added(async () => {
    await get('/v1/test/rows/A')
    await get('/v1/test/rows/%41')
    await get('/v1/test/rows/NOPE')
    await get('/v1/test/rows/A', 'DELETE')
    await get('/v1/test/rows/%zz')
    await raw('NONSENSE\r\n\r\n')
  })
  const requests = (method: string, route: string, status: number): number | undefined =>
    change[`finmeter_http_requests_total{method="${method}",route="${route}",status="${status}"}`]
  expect([
    requests('GET', '/v1/test/rows/{symbol}', 200),
    requests('GET', '/v1/test/rows/{symbol}', 404),
    requests('DELETE', '/v1/test/rows/{symbol}', 405),
    requests('GET', 'none', 400),
    requests('other', 'none', 400),
  ]).toEqual([2, 1, 1, 1, 1])
  expect(change['finmeter_http_request_duration_seconds_count{method="GET",route="/v1/test/rows/{symbol}"}']).toBe(3)
})

test('calls are counted by tool and result, over REST and MCP; only those that ran have a duration', async () => {
  const change = await added(async () => {
    await get('/v1/test/rows/A')
    await mcp('test_rows', { symbol: 'A' })
    await mcp('test_rows', { symbol: 'NOPE' })
    await get('/v1/test/rows/A?unknown=1')
    await get('/v1/test/failing?mode=throw')
    await mcp('secret_of_a_caller')
  })
  const calls = (tool: string, result: string) => change[`finmeter_tool_calls_total{tool="${tool}",result="${result}"}`]
  expect([
    calls('test_rows', 'success'),
    calls('test_rows', 'refused'),
    calls('test_failing', 'failed'),
    calls('unknown', 'refused'),
  ]).toEqual([2, 2, 1, 1])
  expect(change['finmeter_tool_duration_seconds_count{tool="test_rows"}']).toBe(3)
  expect(change['finmeter_tool_duration_seconds_count{tool="unknown"}']).toBeUndefined()
  expect(change.finmeter_commit_batch_calls_sum).toBe(3)
  expect(change.finmeter_commit_duration_seconds_count).toBe(change.finmeter_meter_batches_total)
})

test('a call that an overloaded server refuses is not a failure of its tool', async () => {
  const { pressure } = server.deps
  const enter = vi.spyOn(pressure, 'enter').mockImplementationOnce(() => pressure.refuse('call'))
  const change = await added(async () => expect((await get('/v1/test/rows/A')).status).toBe(503))
  enter.mockRestore()
  expect(change['finmeter_tool_calls_total{tool="test_rows",result="unavailable"}']).toBe(1)
  expect(change['finmeter_tool_calls_total{tool="test_rows",result="failed"}']).toBeUndefined()
})

test('nothing that a caller sends becomes a label', async () => {
  await get('/v1/test/rows/first')
  await get('/somewhere/first')
  await raw('PROPFIND /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const before = new Set(Object.keys(await read()))
  for (let i = 0; i < 30; i++) {
    await get(`/v1/test/rows/marker${i}`)
    await get(`/marker${i}/marker?marker=${i}`)
    await mcp(`marker${i}`)
  }
  for (const method of ['PROPFIND', 'MKCOL', 'SUBSCRIBE', 'MARKER'])
    await raw(`${method} /marker HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  const after = Object.keys(await read())
  expect(after.filter((name) => /marker|PROPFIND|MKCOL|SUBSCRIBE/i.test(name))).toEqual([])
  // The new series are other statuses of the same routes.
  expect(after.filter((name) => !before.has(name)).length).toBeLessThan(40)
})

test.skipIf(spawnSync('promtool', ['--version']).status !== 0)(
  'promtool has nothing to say about our names',
  async () => {
    // The library chooses the names of Node's own metrics.
    const ours = (await scrape())
      .split('\n')
      .filter((line) => !/finmeter_(nodejs|process)_/.test(line))
      .join('\n')
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: `${ours}\n`,
      encoding: 'utf8',
    })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  },
)

test('a histogram counts a value in its bucket and in all above', async () => {
  const histogram = new Histogram<'tool'>('seconds', 'Help.', [0.1, 1])
  const series = histogram.series({ tool: 'a' })
  for (const value of [0.1, 0.5, 3]) series.observe(value)
  let metric: { get: () => Promise<{ values: unknown[] }> } | undefined
  histogram.register({ registerMetric: (made: typeof metric) => (metric = made) } as never)
  expect((await metric!.get()).values).toEqual([
    { metricName: 'seconds_bucket', labels: { le: 0.1, tool: 'a' }, value: 1 },
    { metricName: 'seconds_bucket', labels: { le: 1, tool: 'a' }, value: 2 },
    { metricName: 'seconds_bucket', labels: { le: '+Inf', tool: 'a' }, value: 3 },
    { metricName: 'seconds_sum', labels: { tool: 'a' }, value: 3.6 },
    { metricName: 'seconds_count', labels: { tool: 'a' }, value: 3 },
  ])
})

test('a query that waits for a connection of the pool is seen, and how long it waited', async () => {
  const { pool } = server.db
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  const before = Date.now()
  const waiting = pool.query('select 1')
  // The queues cannot be read now; everything else can.
  const seen = await read()
  expect(seen.finmeter_pool_waiting_queries).toBeGreaterThanOrEqual(1)
  expect(seen.finmeter_pool_idle_connections).toBe(0)
  for (const client of held) client.release()
  await waiting
  const waitedSeconds = (await read()).finmeter_pool_wait_seconds_sum! - seen.finmeter_pool_wait_seconds_sum!
  expect(waitedSeconds).toBeGreaterThan(0)
  // The query, the readings of the queues, and what the server asks by itself; another unit would be a thousand times as much.
  expect(waitedSeconds).toBeLessThan((20 * (Date.now() - before)) / 1000)
})

test('what waits in the database is shown with the age of the oldest', async () => {
  const { pool } = server.db
  await pool.query(`insert into mail_outbox (id, message, expires_at, created_at, next_attempt_at)
    values (gen_random_uuid(), '', app_now() + interval '1 day', app_now() - interval '20 minutes', app_now() + interval '1 hour')`)
  await pool.query(`insert into stripe_events (id, type, object_id, created_at, received_at)
    values ('evt_1', 'x', 'x', app_now(), app_now() - interval '30 minutes'), ('evt_2', 'x', 'x', app_now(), app_now())`)
  const seen = await read()
  expect(seen['finmeter_queue_waiting{queue="mails"}']).toBe(1)
  expect(seen['finmeter_queue_waiting{queue="stripe_events"}']).toBe(2)
  expect(seen['finmeter_queue_waiting{queue="alert_webhooks"}']).toBe(0)
  expect(Math.floor(seen['finmeter_queue_oldest_seconds{queue="mails"}']! / 60)).toBe(20)
  expect(Math.floor(seen['finmeter_queue_oldest_seconds{queue="stripe_events"}']! / 60)).toBe(30)
  expect(seen['finmeter_queue_oldest_seconds{queue="alert_webhooks"}']).toBe(0)
  await pool.query('delete from mail_outbox')
  await pool.query('delete from stripe_events')
})

test('without a database, everything else is still shown', async () => {
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0, query: () => Promise.reject(new Error('no database')) }
  const seen = await read({ ...server.deps, db: { ...server.db, pool: pool as never } })
  expect(Object.keys(seen).filter((name) => name.includes('queue'))).toEqual([])
  expect(seen.finmeter_meter_waiting_calls).toBe(0)
})

test('runs of jobs are counted by task and result, and jobs that wait have an age', async () => {
  const jobs = await startJobs(server.deps)
  try {
    await server.db.pool.query(`select graphile_worker.add_job('settle')`)
    await vi.waitFor(
      async () => {
        const seen = await read()
        expect(seen['finmeter_job_runs_total{task="settle",result="success"}']).toBeGreaterThanOrEqual(1)
        expect(seen['finmeter_job_duration_seconds_count{task="settle"}']).toBeGreaterThanOrEqual(1)
      },
      { timeout: 60_000, interval: 100 },
    )
  } finally {
    await jobs.stop()
  }
  await server.db.pool.query(`select graphile_worker.add_job('settle', run_at => now() - interval '10 minutes')`)
  expect(Math.floor((await read())['finmeter_queue_oldest_seconds{queue="jobs"}']! / 60)).toBe(10)
})

test('without METRICS_PORT nothing is counted', async () => {
  expect((await read({ ...server.deps, metrics: null })).finmeter_pool_wait_seconds_count).toBeUndefined()
})
