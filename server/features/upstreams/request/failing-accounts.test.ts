import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startLoopback } from '../testing/loopback.ts'
import { createCall, operation } from '../testing/route.ts'
import { createFailingAccounts, type Outcome } from './failing-accounts.ts'
import { trackCall } from './upstream-client.ts'

const started: { close: () => unknown }[] = []
afterEach(() => {
  for (const one of started.splice(0)) one.close()
})

/** An upstream that fails for some accounts, with calls as `account`: their status, or "rests" for one that was not sent. */
async function upstream(answer: (account: string) => { status: number; headers?: Record<string, string> }) {
  const loopback = await startLoopback((request, response) => {
    const { status, headers } = answer(String(request.headers['finmeter-account']))
    response.writeHead(status, headers).end()
  })
  const breaker = { errors: 3, within_s: 60, rest_s: 60 }
  const made = createCall(loopback.url, operation('/a'), { manifest: { limits: { breaker } } })
  started.push(loopback, made)
  const as = async (account: string): Promise<number | 'rests' | 'failed'> => {
    const before = loopback.seen.length
    return made.call({}, undefined, account).then(
      ({ status }) => status,
      () => (loopback.seen.length === before ? 'rests' : 'failed'),
    )
  }
  return { as, seen: loopback.seen }
}

test('one account with failing inputs rests alone', async () => {
  const { as } = await upstream((account) => ({ status: account === 'bad' ? 500 : 200 }))
  for (let n = 0; n < 3; n++) expect(await as('bad')).toBe('failed')
  expect(await as('bad')).toBe('rests')
  expect(await as('good')).toBe(200)
})

test('an outage that two accounts meet closes the operation for all', async () => {
  const { as } = await upstream(() => ({ status: 500 }))
  for (const account of ['one', 'one', 'two']) expect(await as(account)).toBe('failed')
  expect(await as('three')).toBe('rests')
})

test('twenty accounts with failing inputs do not close it for one that succeeds', async () => {
  const { as, seen } = await upstream((account) => ({ status: account === 'good' ? 200 : 500 }))
  expect(await as('good')).toBe(200)
  for (let times = 0; times < 4; times++)
    for (let n = 0; n < 20; n++) expect(await as(`bad-${n}`)).toBe(times < 3 ? 'failed' : 'rests')
  expect(await as('good')).toBe(200)
  expect(seen).toHaveLength(62)
})

test.each([
  [401, {}],
  [402, {}],
  [407, {}],
  [429, {}],
  [429, { 'retry-after': '30' }],
])('a %i (%j) of one account closes nothing for others; a second one closes it for all', async (status, headers) => {
  const { as } = await upstream((account) => (account.startsWith('refused') ? { status, headers } : { status: 200 }))
  expect(await as('refused-1')).toBe('failed')
  expect(await as('refused-1')).toBe('retry-after' in headers ? 'rests' : 'failed')
  expect(await as('good')).toBe(200)
  expect(await as('refused-2')).toBe('failed')
  // Its credential is accepted, and it may call.
  expect(await as('good')).toBe(200)

  const { as: asOther } = await upstream(() => ({ status, headers }))
  for (const account of ['one', 'two']) expect(await asOther(account)).toBe('failed')
  expect(await asOther('three')).toBe('rests')
})

test.each([
  [0, 40, 60],
  [1, 1, 7],
])('Retry-After is read as a date, too: after %i days and %i to %i seconds', async (days, least, most) => {
  const date = new Date(Date.now() + days * 86_400_000 + 59_000).toUTCString()
  const loopback = await startLoopback((_request, response) => response.writeHead(429, { 'retry-after': date }).end())
  const made = createCall(loopback.url, operation('/a'), {
    manifest: { limits: { breaker: { errors: 1, rest_s: 7 } } },
  })
  started.push(loopback, made)
  await made.call().catch(() => {})
  const { detail } = (await made.call().catch((error: unknown) => error)) as { detail: { retryAfterSeconds: number } }
  expect(detail.retryAfterSeconds).toBeGreaterThanOrEqual(least)
  expect(detail.retryAfterSeconds).toBeLessThanOrEqual(most)
})

test('a connection that cannot be made counts for all accounts and operations', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  const breaker = { errors: 2, within_s: 60, rest_s: 60 }
  const { call, failures, close } = createCall(`http://127.0.0.1:${port}`, operation('/a'), {
    manifest: { limits: { breaker } },
  })
  started.push({ close })
  for (let n = 0; n < 2; n++) await expect(call()).rejects.toMatchObject({ detail: {} })
  await expect(call({}, undefined, 'other')).rejects.toMatchObject({ detail: { retryAfterSeconds: 60 } })
  expect(failures).toEqual(['no answer: ECONNREFUSED', 'no answer: ECONNREFUSED'])
})

/** FailingAccounts at a clock of their own. `as` makes one call; it is how long the account has to wait, or null when it was let through. */
function rests(most?: number) {
  const clock = { ms: 0 }
  const made = createFailingAccounts(
    { errors: 3, within_s: 10, rest_s: 5 },
    { now: () => clock.ms, ...(most && { most }) },
  )
  const as = (account: string, outcome: Outcome, id = 'get'): number | null => {
    const turn = trackCall(made, account, id)
    const waitMs = turn.waitMs()
    if (waitMs > 0) return waitMs
    turn.begin()
    turn.end(outcome)
    return null
  }
  return { clock, as, made }
}

test('failures are kept for each operation, and those outside of the window are forgotten', () => {
  const { as, clock } = rests()
  for (let n = 0; n < 2; n++) as('one', {})
  clock.ms = 10_001
  as('one', {})
  expect(as('one', {})).toBe(null)
  as('one', {})
  expect([as('one', 'good'), as('one', 'good', 'list')]).toEqual([5_000, null])
})

test('after a rest one call tries, and its outcome decides', () => {
  const { as, clock, made } = rests()
  for (let n = 0; n < 3; n++) as('one', {})
  clock.ms = 5_000
  const trial = trackCall(made, 'one', 'get')
  expect(trial.waitMs()).toBe(0)
  trial.begin()
  expect(as('one', 'good')).toBe(1_000)
  trial.end({})
  expect(as('one', 'good')).toBe(5_000)
  clock.ms = 10_000
  // What says nothing of the upstream decides nothing.
  expect([as('one', null), as('one', 'good'), as('one', {}), as('one', 'good')]).toEqual([null, null, null, null])
})

test('whoever tries an operation first after an outage, an account that succeeds is let through', () => {
  const { as, clock } = rests()
  for (const account of ['one', 'one', 'two']) as(account, {})
  expect(as('good', 'good')).toBe(5_000)
  clock.ms = 5_000
  expect([as('one', {}), as('two', {}), as('good', 'good'), as('new', {}), as('good', 'good')]).toEqual(
    Array(5).fill(null),
  )
  expect(as('one', 'good')).toBe(5_000)
})

test('an account that rests is no witness that the upstream works', () => {
  const { as } = rests()
  as('one', 'good')
  for (let n = 0; n < 3; n++) as('one', {})
  as('two', {})
  expect(as('three', 'good')).toBe(5_000)
})

test('a probe of the operator counts as a second account, and a rest that is asked for ends within a minute', () => {
  const { as } = rests()
  as('one', { refused: true })
  expect(as('two', 'good')).toBe(null)
  as('two', { refused: true })
  expect(as('three', null)).toBe(5_000)
  const other = rests()
  other.as('one', { refused: true, retryAfterS: 3_600 })
  expect(other.as('one', 'good', 'list')).toBe(null)
  other.as('one', { refused: true, retryAfterS: 3_600 })
  other.made.refused('operator', 3_600)
  expect(other.as('one', 'good', 'list')).toBe(null)
  other.clock.ms = 20_000
  other.as('two', { refused: true })
  other.made.refused('operator', 3_600)
  expect(other.as('three', 'good')).toBe(60_000)
})

test('an account whose upstream asks for an hour rests for a minute', () => {
  const { as, clock } = rests()
  as('one', { refused: true, retryAfterS: 3_600 })
  expect(as('one', 'good')).toBe(60_000)
  clock.ms = 60_000
  expect(as('one', 'good')).toBe(null)
})

test('a limited number of accounts is remembered, the newest', () => {
  const { as } = rests(2)
  for (let n = 0; n < 3; n++) as('one', {})
  as('two', 'good')
  expect(as('one', 'good')).toBe(5_000)
  as('three', 'good', 'list')
  expect(as('one', 'good')).toBe(null)
})
