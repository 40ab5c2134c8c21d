import { afterEach, expect, test, vi } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startDoorServer } from './testing/door-server.ts'

const server = await closeAfterTests(startDoorServer())
afterEach(async () => {
  expect(await server.invariants()).toEqual([])
})

/** How each gateway says what its customer asked for: the path of its question, and its headers. */
const questions = {
  nginx: (method: string, target: string) => ({
    path: '/v1/meter/auth?gateway=nginx',
    method: 'GET',
    headers: { 'x-original-method': method, 'x-original-uri': target },
  }),
  caddy: (method: string, target: string) => ({
    path: '/v1/meter/auth?gateway=caddy',
    method: 'GET',
    headers: { 'x-forwarded-method': method, 'x-forwarded-uri': target },
  }),
  traefik: (method: string, target: string) => ({
    path: '/v1/meter/auth?gateway=traefik',
    method: 'GET',
    headers: { 'x-forwarded-method': method, 'x-forwarded-uri': target },
  }),
  envoy: (method: string, target: string) => ({ path: `/v1/meter/auth/envoy${target}`, method, headers: {} }),
}
type Gateway = keyof typeof questions
const gateways = Object.keys(questions) as Gateway[]

interface Ask {
  key?: string | undefined
  serviceKey?: string | null
  method?: string
  headers?: Record<string, string>
}

async function ask(gateway: Gateway, target: string, { key, serviceKey, method = 'GET', headers = {} }: Ask) {
  const question = questions[gateway](method, target)
  const answer = await fetch(server.url + question.path, {
    method: question.method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...headers,
      ...question.headers,
      ...(serviceKey !== null && { 'finmeter-service-key': serviceKey ?? server.serviceKeys.acme }),
    },
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test.each(gateways)('%s: a request is charged on admission, with the price of its operation', async (gateway) => {
  const key = await server.key({ credits: 20 })
  const price = await ask(gateway, '/prices/AAPL?range=1y', { key: key.value })
  const [{ public_id }] = (await server.db.pool.query('select public_id from accounts where id = $1', [key.accountId]))
    .rows
  expect([price.status, price.text]).toEqual([200, ''])
  expect(Object.fromEntries(price.headers)).toMatchObject({
    'x-credits-charged': '2',
    'x-credits-remaining': '18',
    'x-receipt-id': expect.stringMatching(/^rcpt_/),
    'finmeter-account': public_id,
    'finmeter-key': key.publicId,
    'finmeter-operation': 'acme_price',
    'finmeter-request': price.headers.get('x-request-id'),
  })
  // A template with more fixed segments counts, however the address is written.
  expect((await ask(gateway, '/prices/all', { key: key.value })).headers.get('x-credits-charged')).toBe('7')
  expect((await ask(gateway, '/prices/%61ll', { key: key.value })).headers.get('x-credits-charged')).toBe('7')
  expect((await ask(gateway, '/orders', { key: key.value, method: 'POST' })).headers.get('x-credits-charged')).toBe('2')
  expect(await server.spending(key.accountId)).toEqual({ rows: 4, failedRows: 0, credits: 18 })
})

test.each(gateways)('%s: an operation that holds credits passes its hold on, to be settled', async (gateway) => {
  const key = await server.key({ credits: 40 })
  const { status, headers } = await ask(gateway, '/search?q=x', { key: key.value })
  expect([status, headers.get('x-credits-charged'), headers.get('x-receipt-id')]).toEqual([200, '0', null])
  expect(await server.holds(key.accountId)).toBe(1)
  const { body } = await server.post(
    'settle',
    { hold: headers.get('finmeter-hold'), units: 25 },
    server.serviceKeys.acme,
  )
  expect(body).toMatchObject({ credits_charged: 9, remaining: 31 })
})

test.each(gateways)('%s: every refusal has a status that it can pass on', async (gateway) => {
  const seen = async (target: string, given: Ask) => {
    const { status, headers, text } = await ask(gateway, target, given)
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    const { status: real, code } = JSON.parse(text)
    if (gateway !== 'nginx') expect(status).toBe(real)
    else {
      expect(status).toBe(real === 401 ? 401 : 403)
      expect(headers.get('finmeter-status')).toBe(String(real))
      expect(JSON.parse(headers.get('finmeter-problem')!)).toEqual(JSON.parse(text))
    }
    return [real, code]
  }
  const rich = await server.key({ credits: 20 })
  const key = rich.value
  expect(await seen('/prices/A', {})).toEqual([401, 'key_missing'])
  expect(await seen('/prices/A', { key: 'fm_wrong' })).toEqual([401, 'key_invalid'])
  expect(await seen('/prices/A', { key: 'demo' })).toEqual([401, 'key_invalid'])
  expect(await seen('/prices/A', { key, serviceKey: null })).toEqual([401, 'service_key_invalid'])
  expect(await seen('/prices/A', { key, serviceKey: key })).toEqual([401, 'service_key_invalid'])
  expect(await seen('/prices/A', { key: (await server.key()).value })).toEqual([402, 'insufficient_credits'])
  expect(await seen('/nothing', { key })).toEqual([404, 'unknown_tool'])
  expect(await seen('/prices/A', { key, method: 'DELETE' })).toEqual([404, 'unknown_tool'])
  // The key of one upstream opens no other.
  expect(await seen('/other/A', { key })).toEqual([404, 'unknown_tool'])
  const busy = await server.key({ credits: 20, rateLimit: 1 })
  await ask(gateway, '/prices/A', { key: busy.value })
  expect(await seen('/prices/A', { key: busy.value })).toEqual([429, 'rate_limited'])
  const limited = await ask(gateway, '/prices/A', { key: busy.value })
  expect(limited.headers.get('retry-after')).toMatch(/^\d+$/)
  const suspended = await server.key({ credits: 20 })
  await server.db.pool.query('update credit_accounts set blocked = true where account_id = $1', [suspended.accountId])
  expect(await seen('/prices/A', { key: suspended.value })).toEqual([403, 'account_suspended'])
  expect(await server.spending(rich.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test.each([
  '/prices/../prices/all',
  '/prices/%2e%2e/orders',
  '/prices/..%2forders',
  '/prices/a%5c..%5call',
  '/prices//all',
  '/prices/all/',
  '/prices/all;v=1',
  '/prices/%253b',
  '/prices/%00',
  '/prices/%zz',
  '/prices/a, /prices/all',
  `/prices/${'a'.repeat(501)}`,
])('%s could mean another operation to the server behind the gateway: refused', async (target) => {
  const { value, accountId } = await server.key({ credits: 20 })
  for (const gateway of ['nginx', 'caddy'] as const)
    expect((await ask(gateway, target, { key: value })).status, gateway).toBe(403)
  expect(await server.spending(accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test("a customer's own headers cannot name another request, account or address", async () => {
  // Enough for every call until the server hears of the networks.
  const key = await server.key({ credits: 100_000 })
  // Headers of the other gateways say nothing here, because this gateway passes them on as its customer sent them.
  const smuggled = {
    'x-forwarded-method': 'GET',
    'x-forwarded-uri': '/prices/A',
    'finmeter-account': 'somebody',
    'finmeter-hold': 'hold_x.y',
  }
  const { status, headers } = await ask('nginx', '/prices/all', { key: key.value, headers: smuggled })
  expect([status, headers.get('x-credits-charged')]).toEqual([200, '7'])
  expect(headers.get('finmeter-account')).not.toBe('somebody')
  for (const name of ['x-http-method-override', 'x-original-url', 'x-rewrite-url'])
    expect((await ask('nginx', '/prices/A', { key: key.value, headers: { [name]: '/prices/all' } })).status).toBe(403)
  // The gateway appends the address that it saw.
  await server.db.pool.query(`update api_keys set allowed_networks = '{203.0.113.0/24}' where id = $1`, [key.id])
  const from = async (forwarded: string) =>
    (await ask('nginx', '/prices/A', { key: key.value, headers: { 'x-forwarded-for': forwarded } })).status
  await expect.poll(() => from('198.51.100.7')).toBe(403)
  expect(await from('203.0.113.5, 198.51.100.7')).toBe(403)
  expect(await from('203.0.113.5')).toBe(200)
})

test('the key in an address is not taken: gateways and servers behind them log addresses', async () => {
  const { value } = await server.key({ credits: 20 })
  for (const gateway of gateways) {
    const { text } = await ask(gateway, `/prices/A?apikey=${value}`, {})
    expect(JSON.parse(text).code).toBe('key_missing')
    expect(text).not.toContain(value)
  }
})

/** Sets the clock to some seconds after the start of a slot of five minutes, in the past. */
function clock(slotsAgo: number, seconds = 9): void {
  const slot = Math.floor(performance.timeOrigin / 300_000) - slotsAgo
  vi.spyOn(Date, 'now').mockReturnValue(slot * 300_000 + seconds * 1_000)
}
afterEach(() => void vi.restoreAllMocks())

test('repeats are free for five minutes only, because the API does the work of each again', async () => {
  const key = await server.key({ credits: 90 })
  const repeat = (target: string) =>
    ask('nginx', target, { key: key.value, headers: { 'idempotency-key': 'constant' } })
  const charged = async () => (await repeat('/prices/A')).headers.get('x-credits-charged')
  const searched = async () => {
    const hold = (await repeat('/search?q=x')).headers.get('finmeter-hold')
    return (await server.post('settle', { hold, units: 20 }, server.serviceKeys.acme)).body.credits_charged
  }
  // Two neighbors could share a longer slot, three cannot; a shorter one would end within each.
  for (const slotsAgo of [2, 1, 0]) {
    clock(slotsAgo, 0)
    expect([await charged(), await searched()]).toEqual(['2', 6])
    clock(slotsAgo, 299)
    expect([await charged(), await searched()]).toEqual(['0', 0])
  }
})

test('a key that may only read passes with GET, and with nothing else', async () => {
  const key = await server.key({ credits: 20 })
  await server.db.pool.query(`update api_keys set scopes = '{read}' where id = $1`, [key.id])
  expect((await ask('caddy', '/prices/A', { key: key.value })).status).toBe(200)
  const { text } = await ask('caddy', '/orders', { key: key.value, method: 'POST' })
  expect(JSON.parse(text).code).toBe('forbidden')
})

test('an operation of another plan is refused before it is charged', async () => {
  const key = await server.key({ credits: 20 })
  expect(JSON.parse((await ask('caddy', '/gold', { key: key.value })).text).code).toBe('not_entitled')
  expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
})

test('a repeat with an Idempotency-Key is free, but only of a request that the gateway shows whole', async () => {
  const key = await server.key({ credits: 20 })
  clock(0)
  const headers = { 'idempotency-key': 'again' }
  const get = (target: string) => ask('caddy', target, { key: key.value, headers })
  const first = await get('/prices/A')
  const second = await get('/prices/A')
  expect(second.headers.get('x-receipt-id')).toBe(first.headers.get('x-receipt-id'))
  expect(second.headers.get('x-credits-charged')).toBe('0')
  expect(JSON.parse((await get('/prices/B')).text).code).toBe('idempotency_mismatch')
  for (let calls = 0; calls < 2; calls++)
    expect((await ask('caddy', '/orders', { key: key.value, method: 'POST', headers })).status).toBe(200)
  expect(await server.spending(key.accountId)).toEqual({ rows: 3, failedRows: 0, credits: 6 })
})

test('a repeated search with holds is free, and another search with the same key is not', async () => {
  clock(0)
  const key = await server.key({ credits: 90 })
  const search = async (target: string, units: number) => {
    const { headers } = await ask('caddy', target, { key: key.value, headers: { 'idempotency-key': 'search' } })
    return (await server.post('settle', { hold: headers.get('finmeter-hold'), units }, server.serviceKeys.acme)).body
  }
  const first = await search('/search?q=x', 20)
  expect(first.credits_charged).toBe(6)
  // The data may have changed meanwhile.
  expect(await search('/search?q=x', 30)).toMatchObject({ receipt: first.receipt, credits_charged: 0, replayed: true })
  expect(await search('/search?q=y', 20)).toMatchObject({ credits_charged: 6, replayed: false })
  expect(await server.holds(key.accountId)).toBe(0)
})

test('a gateway that is not set up is told so', async () => {
  const { value } = await server.key({ credits: 20 })
  const open = (path: string) =>
    fetch(server.url + path, {
      headers: { authorization: `Bearer ${value}`, 'finmeter-service-key': server.serviceKeys.acme },
    }).then(async (answer) => [answer.status, (await answer.json()).param])
  expect(await open('/v1/meter/auth')).toEqual([400, 'gateway'])
  expect(await open('/v1/meter/auth?gateway=apache')).toEqual([400, 'gateway'])
  expect(await open('/v1/meter/auth?gateway=caddy')).toEqual([400, 'gateway'])
  expect(await open('/v1/meter/auth?gateway=envoy')).toEqual([400, 'gateway'])
})
