import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createListener, type Listener } from '#server/db/listen.ts'
import { insertAccount, insertKey, type TestKey } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { heard } from '#server/testing/heard.ts'
import { makeKey } from './key-format.ts'
import { createKeyVerifier, type KeyVerifier } from './verify.ts'

const log = pino({ level: 'silent' })
let database: TestDatabase
let listener: Listener
let verifier: KeyVerifier
let key: TestKey
let queries: ReturnType<typeof vi.spyOn>

const lookups = () => queries.mock.calls.length

beforeAll(async () => {
  database = await createTestDatabase()
  listener = await createListener(database.url, log)
  verifier = createKeyVerifier({ db: database.db, listener, log })
})
afterAll(async () => {
  verifier.close()
  await listener.close()
  await database.drop()
})
beforeEach(async () => {
  await vi.waitFor(() => expect(listener.connected).toBe(true), 30_000)
  key = await insertKey(database.db, await insertAccount(database.db))
  queries = vi.spyOn(database.db.pool, 'query')
  return () => queries.mockRestore()
})

const sqlOnce = (text: string) => database.db.pool.query(text)

describe('verifying a key', () => {
  test('reads the database once, then answers synchronously from the cache', async () => {
    const first = await verifier.verify(key.value)
    expect(first).toEqual({
      keyId: key.id,
      publicId: key.publicId,
      accountId: key.accountId,
      bucket: 0,
      scopes: null,
      rateLimitPerMinute: 120,
      keyRateLimitPerMinute: null,
      allowsAddress: null,
    })
    expect(verifier.verify(key.value)).toBe(first)
    expect(lookups()).toBe(1)
  })

  test('asks the database once for 100 first calls at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => verifier.verify(key.value)))
    expect(new Set(answers.map((answer) => answer?.keyId))).toEqual(new Set([key.id]))
    expect(lookups()).toBe(1)
  })

  test('refuses 10,000 pieces of junk without a query and keeps the good key in memory', async () => {
    await verifier.verify(key.value)
    for (let i = 0; i < 10_000; i++) expect(verifier.verify(`fm_${String(i).padStart(38, 'A')}`)).toBeNull()
    expect(lookups()).toBe(1)
    expect(verifier.verify(key.value)).not.toBeInstanceOf(Promise)
  })

  test('rejects a well-formed key that does not exist', async () => {
    expect(await verifier.verify(makeKey())).toBeNull()
  })

  test('rejects a deleted key once notified of the deletion', async () => {
    await verifier.verify(key.value)
    const notified = heard(listener, 'key_changed', key.id)
    await sqlOnce(`update api_keys set deleted_at = app_now() where id = ${key.id}`)
    await notified
    expect(await verifier.verify(key.value)).toBeNull()
  })

  test('notices a change that happens while the key is being read', async () => {
    await verifier.verify(makeKey())
    const connection = await database.db.pool.connect()
    try {
      // The lookup has its answer but is held back until the key is deleted and everyone has been notified.
      let release = () => {}
      const gate = new Promise<void>((done) => {
        release = done
      })
      let held = () => {}
      const read = new Promise<void>((done) => {
        held = done
      })
      queries.mockImplementationOnce(async (...args: unknown[]) => {
        queries.mockRestore()
        const answer = await (database.db.pool.query as (...all: unknown[]) => Promise<unknown>)(...args)
        held()
        await gate
        return answer
      })
      const slow = verifier.verify(key.value)
      await read
      const notified = new Promise<void>((done) => listener.on('key_changed', () => done()))
      await connection.query(`update api_keys set deleted_at = app_now() where id = ${key.id}`)
      await notified
      release()
      expect(await slow).not.toBeNull()
      expect(await verifier.verify(key.value)).toBeNull()
    } finally {
      connection.release()
    }
  })

  test('refuses an expired key and forgets one at the moment it expires', async () => {
    await sqlOnce(`update api_keys set expires_at = app_now() + interval '2 seconds' where id = ${key.id}`)
    expect(await verifier.verify(key.value)).not.toBeNull()
    await vi.waitFor(async () => expect(await verifier.verify(key.value)).toBeNull(), {
      timeout: 120_000,
      interval: 20,
    })
  })

  test("returns the key's scopes, and still verifies a suspended account", async () => {
    await sqlOnce(`update api_keys set scopes = '{mcp}' where id = ${key.id}`)
    await sqlOnce(`update accounts set suspended_at = app_now() where id = ${key.accountId}`)
    expect(await verifier.verify(key.value)).toMatchObject({ keyId: key.id, scopes: ['mcp'] })
  })

  test('rejects with metering_unavailable when the database does not answer', async () => {
    queries.mockImplementation(() => Promise.reject(new Error('connection refused')))
    await expect(verifier.verify(key.value)).rejects.toMatchObject({ code: 'metering_unavailable', status: 503 })
  })
})

describe('the rate limit of a key', () => {
  const limit = async () => (await verifier.verify(key.value))?.rateLimitPerMinute

  test("is 120 without a plan, then the plan's, then the operator's, where 0 means no limit", async () => {
    await sqlOnce(`insert into plans values ('p1', 'prod', 'Pro', '', 1900, '1900', 'usd', 'month', true, '{}', '{}', 'paid', 100000, 1200, 0)
      on conflict do nothing`)
    expect(await limit()).toBe(120)
    await sqlOnce(`insert into subscriptions (id, account_id, price_id, source, status, current_period_start, current_period_end)
      values ('sub_${key.id}', ${key.accountId}, 'p1', 'stripe', 'active', app_now(), app_now() + interval '1 month')`)
    await vi.waitFor(async () => expect(await limit()).toBe(1200), { timeout: 120_000 })
    // Of several plans the best one counts, and a late payment for seven days.
    await sqlOnce(`insert into plans values ('p0', 'prod0', 'Small', '', 900, '900', 'usd', 'month', true, '{}', '{}', 'paid', 1000, 300, 0)
      on conflict do nothing`)
    await sqlOnce(`insert into subscriptions (id, account_id, price_id, source, status, current_period_start, current_period_end)
      values ('sub_small_${key.id}', ${key.accountId}, 'p0', 'stripe', 'active', app_now(), app_now() + interval '1 month')`)
    const plansLimit = async () =>
      (await database.db.pool.query('select account_rate_limit($1) as most', [key.accountId])).rows[0].most
    expect(await plansLimit()).toBe(1200)
    for (const [since, most] of [
      ['6 days 23 hours', 1200],
      ['7 days 1 minute', 300],
    ] as const) {
      await sqlOnce(`update subscriptions set status = 'past_due', past_due_since = app_now() - interval '${since}'
        where id = 'sub_${key.id}'`)
      expect(await plansLimit()).toBe(most)
    }
    await sqlOnce(`update accounts set rate_limit_per_minute = 7 where id = ${key.accountId}`)
    await vi.waitFor(async () => expect(await limit()).toBe(7), { timeout: 120_000 })
    await sqlOnce(`update accounts set rate_limit_per_minute = 0 where id = ${key.accountId}`)
    await vi.waitFor(async () => expect(await limit()).toBeNull(), { timeout: 120_000 })
    await sqlOnce(`update accounts set rate_limit_per_minute = null where id = ${key.accountId}`)
    await sqlOnce(`update subscriptions set status = 'canceled' where account_id = ${key.accountId}`)
    await vi.waitFor(async () => expect(await limit()).toBe(120), { timeout: 120_000 })
  })
})

describe('when the listening connection is lost', () => {
  test('the cache is emptied and stays off until it is back', async () => {
    await verifier.verify(key.value)
    expect(verifier.verify(key.value)).not.toBeInstanceOf(Promise)
    await sqlOnce(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'finmeter-listen' and datname = current_database()`,
    )
    await vi.waitFor(() => expect(listener.connected).toBe(false), { timeout: 120_000, interval: 1 })
    for (let i = 0; i < 2; i++) {
      const answer = verifier.verify(key.value)
      expect(answer).toBeInstanceOf(Promise)
      expect((await answer)?.keyId).toBe(key.id)
    }
    await vi.waitFor(() => expect(listener.connected).toBe(true), { timeout: 120_000 })
    await verifier.verify(key.value)
    expect(verifier.verify(key.value)).not.toBeInstanceOf(Promise)
  })
})
