import { createServer } from 'node:net'
import pino from 'pino'
import { expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createRateLimiter, memoryLimiter } from './rate-limiter.ts'

const log = pino({ level: 'silent' })

test('a window lasts a minute from its first request', async () => {
  let nowMs = 1_000
  const limiter = memoryLimiter(() => nowMs)
  expect(limiter.consume(1, 2)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
  nowMs += 59_001
  expect(limiter.consume(1, 2)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 1 })
  expect(limiter.consume(1, 2)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 })
  nowMs += 999
  expect(limiter.consume(1, 2)).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 60 })
  expect(limiter.consume(2, 1)).toMatchObject({ allowed: true })
  expect(limiter.consume(3, 0)).toMatchObject({ allowed: false })
  await limiter.close()
})

test('Redis that refuses connections: limits are counted in memory', async () => {
  const limiter = createRateLimiter({ config: { REDIS_URL: `redis://127.0.0.1:${await freePort()}` }, log })
  const decisions = []
  for (let i = 0; i < 3; i++) decisions.push(await limiter.consume(1, 2))
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
  await limiter.close()
})

test('Redis that accepts and never answers holds no request up', async () => {
  const mute = createServer(() => {})
  const port = await freePort()
  await new Promise<void>((done) => mute.listen(port, '127.0.0.1', done))
  const limiter = createRateLimiter({ config: { REDIS_URL: `redis://127.0.0.1:${port}` }, log })
  const startedAt = performance.now()
  expect(await limiter.consume(1, 5)).toMatchObject({ allowed: true, remaining: 4 })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  await limiter.close()
  mute.close()
})

test.runIf(process.env.TEST_REDIS_URL)('two instances share one count in Redis', async () => {
  const make = () => createRateLimiter({ config: { REDIS_URL: process.env.TEST_REDIS_URL }, log })
  const [one, two] = [make(), make()]
  await new Promise((done) => setTimeout(done, 200))
  const accountId = Math.floor(Math.random() * 1e9)
  const decisions = [
    await one.consume(accountId, 3),
    await two.consume(accountId, 3),
    await one.consume(accountId, 3),
    await two.consume(accountId, 3),
  ]
  expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 0],
  ])
  await Promise.all([one.close(), two.close()])
})
