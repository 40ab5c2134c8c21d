import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { charging } from '#server/features/metering/charging.ts'
import { createRateLimiter } from '#server/features/metering/rate-limiter.ts'
import { insertAccount, insertKey } from '#server/testing/factories.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startMetrics } from './start-metrics.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => server?.close())

/** The product's own metrics, by name. */
async function read(deps: Parameters<typeof startMetrics>[0], wanted = /^finmeter_(limits|meter|listener)/) {
  const port = await freePort()
  const stop = await startMetrics(deps, port)
  try {
    // Earlier requests must not be counted twice.
    await fetch(`http://127.0.0.1:${port}/metrics`)
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(answer.status).toBe(200)
    const lines = (await answer.text()).split('\n').filter((line) => wanted.test(line))
    return Object.fromEntries(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]))
  } finally {
    await stop()
  }
}

test('committed calls are counted; in-memory limits by choice raise no alarm', async () => {
  const before = await read(server.deps)
  expect(before).not.toHaveProperty('finmeter_limits_shared')
  const accountId = await insertAccount(server.db, 'Counted')
  const key = await insertKey(server.db, accountId)
  for (let i = 0; i < 3; i++)
    await server.deps.meter[charging].commit({
      accountId,
      bucket: 0,
      keyId: key.id,
      toolId: 1,
      credits: 0,
      status: 'success',
      durationMs: 1,
    })
  const after = await read(server.deps)
  expect(after.finmeter_meter_settled_calls_total! - before.finmeter_meter_settled_calls_total!).toBe(3)
  expect(after.finmeter_meter_batches_total! - before.finmeter_meter_batches_total!).toBe(3)
  expect(after).toMatchObject({
    finmeter_listener_connected: 1,
    finmeter_meter_waiting_calls: 0,
    finmeter_meter_unavailable_calls_total: 0,
  })
})

test('a call that nobody can commit is counted as unavailable', async () => {
  const impossible = {
    accountId: 1,
    bucket: 0,
    keyId: null,
    toolId: 40_000,
    credits: 0,
    status: 'success',
    durationMs: 1,
  } as const
  await expect(server.deps.meter[charging].commit(impossible)).rejects.toMatchObject({ code: 'metering_unavailable' })
  expect((await read(server.deps)).finmeter_meter_unavailable_calls_total).toBe(1)
})

test('a Redis that does not answer is reported as 0', async () => {
  const mute: Server = createServer(() => {})
  const port = await freePort()
  await new Promise<void>((done) => mute.listen(port, '127.0.0.1', done))
  const limiter = createRateLimiter({ config: { REDIS_URL: `redis://127.0.0.1:${port}` }, log: server.deps.log })
  expect(await read({ ...server.deps, limiter })).toMatchObject({ finmeter_limits_shared: 0 })
  await limiter.close()
  mute.close()
})

test.runIf(process.env.TEST_REDIS_URL)('a Redis that answers is reported as 1', async () => {
  const limiter = createRateLimiter({ config: { REDIS_URL: process.env.TEST_REDIS_URL }, log: server.deps.log })
  await expect.poll(() => limiter.shared).toBe(true)
  expect(await read({ ...server.deps, limiter })).toMatchObject({ finmeter_limits_shared: 1 })
  await limiter.close()
})

test('metrics listen where METRICS_HOST says, on loopback by default', async () => {
  expect(server.deps.config.METRICS_HOST).toBe('127.0.0.1')
  const port = await freePort()
  const config = { ...server.deps.config, METRICS_HOST: '127.0.0.2' }
  const stop = await startMetrics({ ...server.deps, config }, port)
  try {
    expect((await fetch(`http://127.0.0.2:${port}/metrics`)).status).toBe(200)
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed')
  } finally {
    await stop()
  }
})
