import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { homeOf } from '#server/db/buckets.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { call as request, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { personWithTwoKeys } from './testing/person-with-two-keys.ts'

type Prepared = Awaited<ReturnType<typeof personWithTwoKeys>>
let person: Prepared['person']
let accountId: Prepared['accountId']
let keys: Prepared['keys']
let get: Prepared['get']
let spend: Prepared['spend']

const server = await closeAfterTests(startTestServer())
const prepare = async () => {
  ;({ person, accountId, keys, get, spend } = await personWithTwoKeys(server))
}

describe('analytics', () => {
  beforeEach(prepare)

  test('count each key and the playground, with totals', async () => {
    for (let i = 0; i < 3; i++) await spend(0)
    await spend(1, { status: 'failed' })
    await spend(null)
    const usage = await get('/api/usage')
    expect(usage).toEqual({
      analytics: expect.arrayContaining([
        { unkeyId: keys[0]?.id, keyName: 'Default', data: [{ time: today(), success: 3, failed: 0 }] },
        { unkeyId: keys[1]?.id, keyName: 'Second', data: [{ time: today(), success: 0, failed: 1 }] },
        { unkeyId: null, keyName: 'Playground', data: [{ time: today(), success: 1, failed: 0 }] },
      ]),
      totalRequests: 5,
      successfulRequests: 4,
      failedRequests: 1,
      refusedRequests: 0,
      refusals: [],
      avgSuccessRate: 80,
      requestsThisMonth: 5,
      latency: { p50: 13, p95: 13, p99: 13 },
      previous: null,
      topApiKeys: [{ keyId: keys[0]?.id, name: 'Default', requests: 3 }, expect.anything(), expect.anything()],
    })
    expect((await get('/api/keys')).apiKeys[0]).toMatchObject({
      usage_count: 3,
      last_used_at: expect.stringMatching(/Z$/),
    })
  })

  test('include latency percentiles in every range, for all keys and for one', async () => {
    for (let ms = 1; ms <= 100; ms++) await spend(ms <= 50 ? 0 : 1, { credits: 0, durationMs: ms })
    for (const range of ['24h', '7d', '30d', '90d'])
      expect((await get(`/api/usage?range=${range}`)).latency).toEqual({ p50: 55, p95: 95, p99: 111 })
    expect((await get(`/api/keys/${keys[0]?.id}/analytics?range=24h`)).latency).toEqual({ p50: 27, p95: 55, p99: 55 })
  })

  test('without calls are empty', async () => {
    expect(await get('/api/usage?range=7d')).toEqual({
      analytics: [],
      totalRequests: 0,
      successfulRequests: 0,
      failedRequests: 0,
      refusedRequests: 0,
      refusals: [],
      avgSuccessRate: 0,
      requestsThisMonth: 0,
      latency: null,
      previous: null,
      topApiKeys: [],
    })
  })

  test('come with the range of equal length before, up to the same hour, once it is covered', async () => {
    // Noon, so that all hours of the test are in the same day.
    const noonMs = new Date().setUTCHours(12, 0, 0, 0)
    const at = (days: number, hours = 0) =>
      server.db.pool.query(
        `insert into app_clock (offset_by) values (make_interval(secs => $1))
         on conflict (only_row) do update set offset_by = excluded.offset_by`,
        [(noonMs - Date.now()) / 1000 + days * 86_400 + hours * 3600],
      )
    const previous = async (range: string) => (await get(`/api/usage?range=${range}`)).previous
    await at(0)
    await spend(0, { status: 'failed' })
    // The last day of the 7 days before: hours after the current one are not compared.
    for (const hours of [-2, 0, 2]) {
      await at(6, hours)
      await spend(0, { credits: 0 })
    }
    await at(12)
    expect(await previous('7d')).toBeNull()
    await at(13)
    expect(await previous('7d')).toEqual({
      totalRequests: 3,
      avgSuccessRate: (2 / 3) * 100,
      latency: expect.anything(),
    })
    expect(await previous('24h')).toEqual({ totalRequests: 0, avgSuccessRate: 0, latency: null })
    expect(await previous('30d')).toBeNull()
    await at(7)
    expect((await previous('24h')).totalRequests).toBe(2)
    await server.db.pool.query('delete from app_clock')
  })

  test('of a range contain only its hours or days; the month is counted in any range', async () => {
    const home = await homeOf(server.db, accountId)
    const seed = (hoursAgo: number, success: number) =>
      home.pool.query(
        `with hours as (
           insert into usage_hourly select $1::bigint, $2::bigint, date_trunc('hour', app_now(), 'UTC') - make_interval(hours => $3), $4::bigint, 0, 0, 0, 0
           returning *
         ) insert into usage_daily as d select account_id, key_id, (hour at time zone 'UTC')::date, success, 0, 0, 0, 0, app_now() from hours
         on conflict (account_id, day, key_id) do update set success = d.success + excluded.success`,
        [accountId, keys[0]?.keyId, hoursAgo, success],
      )
    for (const [hoursAgo, success] of [
      [0, 1],
      [23, 10],
      [24, 100],
      [6 * 24, 1_000],
      [8 * 24, 10_000],
      [29 * 24, 100_000],
      [31 * 24, 1_000_000],
      [91 * 24, 10_000_000],
    ] as const)
      await seed(hoursAgo, success)
    const totals = await Promise.all(
      ['24h', '7d', '30d', '90d'].map(async (range) => (await get(`/api/usage?range=${range}`)).totalRequests),
    )
    expect(totals).toEqual([11, 1_111, 111_111, 1_111_111])
    const day = await get('/api/usage?range=24h')
    expect(day.analytics[0].data).toHaveLength(2)
    expect(day.analytics[0].data[1].time).toBe(new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString())
    const month = (await get('/api/usage?range=90d')).analytics[0].data
      .filter(({ time }: { time: string }) => time.slice(0, 7) === new Date().toISOString().slice(0, 7))
      .reduce((sum: number, { success }: { success: number }) => sum + success, 0)
    expect([day.requestsThisMonth, (await get('/api/usage')).requestsThisMonth]).toEqual([month, month])
  })

  test('list at most five keys, the busiest first', async () => {
    for (let i = 0; i < 5; i++) {
      const { id } = (await person.call('POST', '/api/keys', { body: { name: `Key ${i}` } })).body.data.apiKey
      const { rows } = await server.db.pool.query('select id from api_keys where public_id = $1', [id])
      keys.push({ id, keyId: rows[0].id })
    }
    for (const [index] of keys.entries()) for (let n = 0; n <= index; n++) await spend(index, { credits: 0 })
    expect((await get('/api/usage')).topApiKeys.map(({ requests }: { requests: number }) => requests)).toEqual([
      7, 6, 5, 4, 3,
    ])
  })

  test('of one key cover only that key', async () => {
    await spend(0)
    await spend(1)
    expect(await get(`/api/keys/${keys[1]?.id}/analytics`)).toMatchObject({
      analytics: { unkeyId: keys[1]?.id, keyName: 'Second', data: [{ success: 1, failed: 0 }] },
      totalRequests: 1,
      requestsThisMonth: 1,
    })
  })

  test('keep the calls of a deleted key under its name', async () => {
    await spend(1)
    await person.call('DELETE', `/api/keys/${keys[1]?.id}`)
    expect((await get('/api/usage')).analytics).toMatchObject([{ keyName: 'Second' }])
  })
})

describe('receipts', () => {
  beforeEach(prepare)

  test("open by id, with the call's charge", async () => {
    const outcome = await spend(0)
    const receiptId = outcome.kind === 'charged' ? outcome.receiptId : ''
    const { receipt } = await get(`/api/usage/receipts/${receiptId}`)
    expect(receipt).toEqual({
      id: receiptId,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      tool: 'get_bars',
      keyId: keys[0]?.id,
      keyName: 'Default',
      status: 'success',
      credits: 2,
      fromCredits: 2,
      fromPayAsYouGo: 0,
      durationMs: 12,
    })
  })

  test('are listed newest first, page by page, without gap or repetition', async () => {
    const ids: string[] = []
    for (let round = 0; round < 4; round++) {
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => spend(0)))
      ids.unshift(...outcomes.map((one) => (one.kind === 'charged' ? one.receiptId : '')).reverse())
    }
    const pages: string[][] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { receipts: { id: string }[]; nextCursor: string | null } = await get(
        `/api/usage/receipts?limit=5${cursor && `&cursor=${cursor}`}`,
      )
      pages.push(page.receipts.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 4])
    expect(pages.flat()).toEqual(ids)
  })

  test('are filtered by key and by result', async () => {
    await spend(0)
    await spend(1, { status: 'failed' })
    await spend(null)
    const names = async (query: string) =>
      (await get(`/api/usage/receipts?${query}`)).receipts.map(({ keyName }: { keyName: string }) => keyName)
    expect(await names('')).toEqual(['Playground', 'Second', 'Default'])
    expect(await names(`keyId=${keys[0]?.id}`)).toEqual(['Default'])
    expect(await names('keyId=playground')).toEqual(['Playground'])
    expect(await names('status=failed')).toEqual(['Second'])
    expect(await names(`status=success&keyId=${keys[1]?.id}`)).toEqual([])
  })

  test('are filtered by tool, alone and together with the key', async () => {
    const echo = server.deps.tools.current().get('echo')?.id ?? 0
    await spend(0, { toolId: echo, credits: 0 })
    await spend(0)
    await spend(1, { toolId: echo, credits: 0 })
    const seen = async (query: string) =>
      (await get(`/api/usage/receipts?${query}`)).receipts.map(
        ({ tool, keyName }: { tool: string; keyName: string }) => `${tool} ${keyName}`,
      )
    expect(await seen('tool=echo')).toEqual(['echo Second', 'echo Default'])
    expect(await seen(`tool=echo&keyId=${keys[0]?.id}`)).toEqual(['echo Default'])
    expect(await seen('tool=get_quote')).toEqual([])
  })

  test('are filtered by time, from and with the first moment, to and without the last', async () => {
    const times: string[] = []
    for (let i = 0; i < 3; i++) {
      await spend(0)
      times.push((await get('/api/usage/receipts?limit=1')).receipts[0].time)
    }
    // The database stores microseconds, the response shows milliseconds: the bounds are next to them.
    const [first = '', , third = ''] = times
    const count = async (query: string) => (await get(`/api/usage/receipts?${query}`)).receipts.length
    expect(await count(`from=${first}`)).toBe(3)
    expect(await count(`from=${new Date(Date.parse(third) + 1).toISOString()}`)).toBe(0)
    expect(await count(`to=${first}`)).toBe(0)
    expect(await count(`to=${new Date(Date.parse(third) + 1).toISOString()}`)).toBe(3)
    expect(await count('from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z')).toBe(0)
    expect(await count(`from=${encodeURIComponent('2020-01-01T02:00:00+02:00')}`)).toBe(3)
  })

  test('from long ago are found across quiet months', async () => {
    await spend(0)
    const move = (interval: string) =>
      server.db.pool.query(
        `insert into app_clock (offset_by) values ($1) on conflict (only_row) do update set offset_by = excluded.offset_by`,
        [interval],
      )
    await move('70 days')
    await spend(null, { credits: 0 }) // the free credits are long gone
    const first = await get('/api/usage/receipts?limit=1')
    const second = await get(`/api/usage/receipts?limit=1&cursor=${first.nextCursor}`)
    expect([first.receipts[0].keyName, second.receipts[0].keyName, second.nextCursor]).toEqual([
      'Playground',
      'Default',
      null,
    ])
    await move('0')
  })
})

describe('reports of clients', () => {
  beforeEach(prepare)

  test('are stored with the receipt and change neither credits nor usage', async () => {
    const outcome = await spend(0)
    const receiptId = outcome.kind === 'charged' ? outcome.receiptId : ''
    const before = [await get('/api/usage'), await get('/api/billing/credits')]
    const answer = await person.call('POST', '/api/usage/log', {
      body: { event: 'call_failed', receiptId, message: 'no answer came' },
    })
    expect([answer.status, answer.body.data.report]).toEqual([
      201,
      expect.objectContaining({ event: 'call_failed', receiptId, message: 'no answer came' }),
    ])
    expect((await get(`/api/usage/receipts/${receiptId}`)).reports).toEqual([answer.body.data.report])
    expect([await get('/api/usage'), await get('/api/billing/credits')]).toEqual(before)
  })

  test.each([
    { fault: 'no event', body: {}, text: 'event: is required' },
    { fault: 'no name', body: { event: 'Not a name' }, text: 'event: must be a name such as call_failed' },
    {
      fault: 'too long',
      body: { event: 'x', message: 'm'.repeat(2001) },
      text: 'message: must be at most 2000 characters',
    },
    { fault: 'unknown field', body: { event: 'x', credits: -5 }, text: 'credits' },
  ])('that are malformed are refused: $fault', async ({ body, text }) => {
    const answer = await person.call('POST', '/api/usage/log', { body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
    expect(answer.body.error).toContain(text)
  })

  test('are limited to 1,000 in 24 hours', async () => {
    await server.db.pool.query(
      `insert into usage_reports (account_id, user_id, event) select $1, $2, 'x' from generate_series(1, 1000)`,
      [accountId, person.userId],
    )
    const answer = await person.call('POST', '/api/usage/log', { body: { event: 'x' } })
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([429, 'rate_limited', '86400'])
  })
})

describe('foreign receipts', () => {
  beforeAll(prepare)

  test("another account's receipt, key and reports look missing", async () => {
    const outcome = await spend(0)
    const receiptId = outcome.kind === 'charged' ? outcome.receiptId : ''
    const stranger = await startSession(server)
    const missing = `rcpt_${'A'.repeat(35)}`
    const answers = await Promise.all([
      ...[receiptId, missing, 'nonsense'].map((id) => stranger.call('GET', `/api/usage/receipts/${id}`)),
      ...[receiptId, missing].map((id) =>
        stranger.call('POST', '/api/usage/log', { body: { event: 'x', receiptId: id } }),
      ),
    ])
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(404)
    const keyAnswers = await Promise.all(
      [keys[0]?.id, '00000000-0000-4000-8000-000000000000', 'x'].map((id) =>
        stranger.call('GET', `/api/keys/${id}/analytics`),
      ),
    )
    expect(new Set(keyAnswers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await stranger.call('GET', '/api/usage/receipts')).body.data.receipts).toEqual([])
  })

  test.each([
    ['/api/usage?range=1y', 'range'],
    ['/api/usage?rnage=7d', 'rnage'],
    ['/api/usage/receipts?limit=0', 'limit'],
    ['/api/usage/receipts?limit=101', 'limit'],
    ['/api/usage/receipts?cursor=abc', 'cursor'],
    ['/api/usage/receipts?status=lost', 'status'],
    ['/api/usage/receipts?tool=no_such_tool', 'tool'],
    ['/api/usage/receipts?from=yesterday', 'from'],
    ['/api/usage/receipts/csv?to=2026-11-21', 'to'],
  ])('%s is refused', async (path, name) => {
    const answer = await person.call('GET', path)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
    expect(answer.body.error).toContain(name)
  })

  test.each([
    'GET /api/usage',
    'GET /api/usage/receipts',
    'GET /api/usage/receipts/x',
    'GET /api/usage/receipts/csv',
    'GET /api/keys/x/analytics',
    'POST /api/usage/log',
  ])('%s needs a session', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const answer = await request(server, method, path, method === 'POST' ? { body: { event: 'x' } } : {})
    expect([answer.status, answer.body]).toEqual([
      401,
      { success: false, error: 'User is not authenticated. Please log in.', code: 'unauthorized' },
    ])
  })
})

const today = () => `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`
