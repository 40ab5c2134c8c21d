import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { wireTo } from '#server/features/metering/testing/wire.ts'
import { createTestDatabase, startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { createListener } from './listen.ts'

test('closing breaks off what is about to listen, and that is no fault: commands are often done before', async () => {
  const database = await createTestDatabase()
  const log = pino({ level: 'silent' })
  const warn = vi.spyOn(log, 'warn')
  const listener = await createListener(database.url, log)
  listener.on('credits_changed', () => {})
  // The statement has been sent, and its answer cannot have arrived yet.
  await Promise.resolve()
  await Promise.resolve()
  await listener.close()
  await new Promise(setImmediate)
  expect(warn).not.toHaveBeenCalled()
  await database.drop()
})

test('a connection that answers but delivers nothing counts as lost, until it delivers again', async () => {
  const database = await createTestDatabase()
  const wire = await wireTo(database.url)
  const listener = await createListener(wire.url, pino({ level: 'silent' }), { beatMs: 20 })
  let losses = 0
  listener.onLost(() => {
    losses += 1
  })
  const heard: string[] = []
  listener.on('credits_changed', (payload) => heard.push(payload))
  const announce = (payload: string) => database.db.pool.query(`select pg_notify('credits_changed', $1)`, [payload])
  await expect.poll(() => announce('1').then(() => heard)).toContain('1')
  expect(losses).toBe(0)
  wire.deafen()
  await expect.poll(() => listener.connected).toBe(false)
  expect(losses).toBe(1)
  await announce('2')
  wire.mend()
  await expect.poll(() => listener.connected).toBe(true)
  await expect.poll(() => announce('3').then(() => heard)).toContain('3')
  expect(heard).not.toContain('2')
  await listener.close()
  await wire.close()
  await database.drop()
})

test('a server that hears nothing is not ready, and looks up every key', async () => {
  const database = await createTestDatabase()
  const wire = await wireTo(database.url)
  const server = await startTestServer({ databaseUrl: wire.url })
  try {
    const { body } = await (await startSession(server)).call('POST', '/api/keys', { body: { name: 'Cached' } })
    const { unkey } = body.data.apiKey
    await server.deps.keys.verify(unkey)
    expect(server.deps.keys.verify(unkey)).not.toBeInstanceOf(Promise)
    wire.deafen()
    await expect
      .poll(() => fetch(`${server.url}/readyz`).then((response) => response.json()))
      .toEqual({ status: 'not ready', database: true, listener: false })
    await server.deps.keys.verify(unkey)
    expect(server.deps.keys.verify(unkey)).toBeInstanceOf(Promise)
  } finally {
    await server.close()
    await wire.close()
    await database.drop()
  }
})
