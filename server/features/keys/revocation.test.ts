import fs from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { heard } from '#server/testing/heard.ts'
import { call, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const ROUNDS = 10

const here = await closeAfterTests(startTestServer())
const there = await closeAfterTests(startTestServer({ databaseUrl: here.databaseUrl }))
const person = await startSession(here)

async function makeKey(): Promise<{ id: string; unkey: string }> {
  return (await person.call('POST', '/api/keys', { body: { name: 'Short-lived' } })).body.data.apiKey
}

describe('a deleted key', () => {
  test('is unknown to every instance once it has been notified of the deletion', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = await makeKey()
      for (const server of [here, there]) {
        expect(await server.deps.keys.verify(key.unkey)).not.toBeNull()
        // Answered from the cache: the deletion has something to clear.
        expect(server.deps.keys.verify(key.unkey)).not.toBeInstanceOf(Promise)
      }
      const { rows } = await here.db.pool.query('select id from api_keys where public_id = $1', [key.id])
      const notified = [here, there].map((server) => heard(server.deps.listener, 'key_changed', rows[0].id))
      expect((await person.call('DELETE', `/api/keys/${key.id}`)).status).toBe(200)
      await Promise.all(notified)
      for (const server of [here, there]) expect(await server.deps.keys.verify(key.unkey)).toBeNull()
    }
  })

  // A key that is known to be good is good for a minute, which is as long as this test may take.
  test('is refused everywhere soon after, not when what instances know of it has become old', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = await makeKey()
      const status = async (server: TestServer) =>
        // A free call: a charged one is refused by the meter even before anybody is notified.
        (
          await call(server, 'POST', '/mcp', {
            body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
            headers: { 'x-api-key': key.unkey },
          })
        ).status
      for (const server of [here, there]) expect(await status(server)).toBe(200)
      expect((await person.call('DELETE', `/api/keys/${key.id}`)).status).toBe(200)
      for (const server of [here, there]) while ((await status(server)) === 200);
      for (const server of [here, there]) expect(await status(server)).toBe(401)
    }
  })

  test('is refused by an instance that gets no notification', async () => {
    const key = await makeKey()
    await there.deps.keys.verify(key.unkey)
    await here.db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'finmeter-listen' and datname = current_database()`,
    )
    await vi.waitFor(() => expect(there.deps.listener.connected).toBe(false), { timeout: 120_000, interval: 1 })
    await person.call('DELETE', `/api/keys/${key.id}`)
    expect(await there.deps.keys.verify(key.unkey)).toBeNull()
  })
})

describe('a key', () => {
  test('appears in no log line, whatever is done with it', async () => {
    const written: string[] = []
    const spy = vi.spyOn(fs, 'writeSync').mockImplementation((_fd, data) => {
      written.push(String(data))
      return Buffer.byteLength(String(data))
    })
    const server = await startTestServer({ env: { LOG_LEVEL: 'trace' } })
    try {
      const user = await startSession(server)
      const key = (await user.call('POST', '/api/keys', { body: { name: 'Secret' } })).body.data.apiKey
      await user.call('GET', '/api/keys')
      await user.call('GET', `/api/keys/${key.id}`)
      await user.call('GET', `/api/keys/${key.unkey}`)
      await user.call('POST', '/api/keys', { body: { name: 7, key: key.unkey } })
      await call(server, 'GET', '/api/keys', { headers: { authorization: `Bearer ${key.unkey}` } })
      await server.db.pool.query(`update api_keys set ciphertext = '\\x00'`)
      await user.call('GET', '/api/keys')
      await user.call('DELETE', `/api/keys/${key.id}`)
      const output = written.join('')
      expect(output).toContain('/api/keys')
      expect(output).toContain('cannot be decrypted')
      expect(output).not.toContain(key.unkey.slice(8, 30))
      expect(output).not.toContain(user.token.slice(-40))
    } finally {
      spy.mockRestore()
      await server.close()
    }
  })
})
