import { connect, createServer, type Socket } from 'node:net'
import pino from 'pino'
import { expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createRateLimiter, memoryLimiter } from './rate-limiter.ts'

const log = pino({ level: 'silent' })

test('a window lasts a minute from its first request', async () => {
  let nowMs = 1_000
  const limiter = memoryLimiter(() => nowMs)
  expect(limiter.consume('account:1', 2)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
  nowMs += 500
  expect(limiter.consume('account:4', 2)).toMatchObject({ resetSeconds: 60 })
  nowMs += 1
  expect(limiter.consume('account:4', 2)).toMatchObject({ resetSeconds: 60 })
  nowMs += 58_500
  expect(limiter.consume('account:1', 2)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 1 })
  expect(limiter.consume('account:1', 2)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 })
  nowMs += 999
  expect(limiter.consume('account:1', 2)).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 60 })
  expect(limiter.consume('account:2', 1)).toMatchObject({ allowed: true })
  expect(limiter.consume('account:3', 0)).toMatchObject({ allowed: false })
  await limiter.close()
})

test('Redis that refuses connections: limits are counted in memory', async () => {
  const limiter = createRateLimiter({ config: { REDIS_URL: `redis://127.0.0.1:${await freePort()}` }, log })
  const decisions = []
  for (let i = 0; i < 3; i++) decisions.push(await limiter.consume('account:1', 2))
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
  await limiter.close()
})

test('a Redis that never answers delays no request', async () => {
  const mute = createServer(() => {})
  const port = await freePort()
  await new Promise<void>((done) => mute.listen(port, '127.0.0.1', done))
  const limiter = createRateLimiter({ config: { REDIS_URL: `redis://127.0.0.1:${port}` }, log })
  expect(await limiter.consume('account:1', 5)).toMatchObject({ allowed: true, remaining: 4 })
  await limiter.close()
  mute.close()
})

test.runIf(process.env.TEST_REDIS_URL)('two instances share one count in Redis', async () => {
  const make = () => createRateLimiter({ config: { REDIS_URL: process.env.TEST_REDIS_URL }, log })
  const [one, two] = [make(), make()]
  await expect.poll(() => [one.shared, two.shared]).toEqual([true, true])
  const subject = `account:${Math.floor(Math.random() * 1e9)}` as const
  const decisions = [
    await one.consume(subject, 3),
    await two.consume(subject, 3),
    await one.consume(subject, 3),
    await two.consume(subject, 3),
  ]
  expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 0],
  ])
  await Promise.all([one.close(), two.close()])
})

test.runIf(process.env.TEST_REDIS_URL)('Redis down: counted in memory and logged; Redis up: shared again', async () => {
  const real = new URL(process.env.TEST_REDIS_URL!)
  const port = await freePort()
  const sockets = new Set<Socket>()
  const way = createServer((socket) => {
    const onward = connect(Number(real.port || 6379), real.hostname)
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => {})
    }
  })
  const open = () => new Promise<void>((done) => way.listen(port, '127.0.0.1', done))
  const cut = async () => {
    const closed = new Promise((done) => way.close(done))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await open()
  const far = createRateLimiter({ config: { REDIS_URL: `redis://127.0.0.1:${port}` }, log })
  const near = createRateLimiter({ config: { REDIS_URL: process.env.TEST_REDIS_URL }, log })
  const subject = `account:${Math.floor(Math.random() * 1e9)}` as const
  await expect.poll(() => far.shared).toBe(true)
  await expect.poll(() => near.shared).toBe(true)
  await near.consume(subject, 10)
  expect(await far.consume(subject, 10)).toMatchObject({ remaining: 8 })
  await cut()
  await expect.poll(() => far.shared).toBe(false)
  expect(await far.consume(subject, 10)).toMatchObject({ allowed: true, remaining: 9 })
  await open()
  await expect.poll(() => far.shared).toBe(true)
  expect(await far.consume(subject, 10)).toMatchObject({ remaining: 7 })
  await Promise.all([far.close(), near.close()])
  await cut()
})

test('without REDIS_URL the limiter reports neither a shared nor a lost Redis', async () => {
  const limiter = memoryLimiter(Date.now)
  expect(limiter.shared).toBeNull()
  await limiter.close()
})
