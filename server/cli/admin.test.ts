import { expect, test } from 'vitest'
import { checkInvariants } from '../features/metering/invariants.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { insertAccount } from '../testing/factories.ts'
import { startTestServer } from '../testing/harness.ts'
import { runAdmin } from '../testing/run-admin.ts'
import { startSession } from '../testing/session.ts'

const server = await closeAfterTests(startTestServer())

/** Runs the command as an operator does, on the server's database. */
const admin = (...words: string[]) => runAdmin(server.databaseUrl, words)

const why = ['--reason', 'test']
const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows
const call = (key: string) => fetch(`${server.url}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } })

/** A separate load-test account. */
async function loadTest(credits = 100): Promise<{ account: string; key: string }> {
  const { accountId, key } = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, credits)
  return { account: accountId, key }
}

const audited = async (account: string) =>
  (
    await rows(
      `select l.actor, l.action, l.detail from audit_log l join accounts a on a.id = l.account_id where a.public_id = $1 order by l.id`,
      [account],
    )
  ).map(({ actor, action, detail }) => ({ actor, action, ...detail }))

test('loadtest prints a working key alone on its last line; the account has no limit', async () => {
  const { code, out } = await admin('loadtest', '--credits', '500')
  expect(code).toBe(0)
  const lines = out.trimEnd().split('\n')
  const account = /^Account ([0-9a-f-]{36}) with 500 credits and no rate limit\. Its key:$/.exec(lines[0]!)![1]!
  const key = lines.at(-1)!
  expect(key).toMatch(/^fm_[0-9A-Za-z]{38}$/)
  const answer = await call(key)
  expect([answer.status, answer.headers.get('x-credits-remaining'), answer.headers.get('ratelimit')]).toEqual([
    200,
    '499',
    null,
  ])
  expect(await audited(account)).toContainEqual({
    actor: 'system:operator',
    action: 'account.created',
    loadTest: true,
    credits: 500,
  })
})

test('limits sets a number, none, or the limit of the plan, on the running server too', async () => {
  const { account, key } = await loadTest()
  await call(key)
  const policy = async () => (await call(key)).headers.get('ratelimit-policy')
  expect((await admin('limits', account, '7', ...why)).out).toBe('The limit is now: 7 requests per minute.\n')
  await expect.poll(policy).toBe('"account";q=7;w=60')
  expect((await admin('limits', account, 'plan', ...why)).out).toBe("The limit is now: the plan's.\n")
  await expect.poll(policy).toBe('"account";q=120;w=60')
  expect((await admin('limits', account, 'unlimited', ...why)).out).toBe('The limit is now: none.\n')
  await expect.poll(policy).toBe(null)
  expect((await audited(account)).filter(({ action }) => action === 'limits.changed')).toEqual(
    [7, null, 0].map((rateLimitPerMinute) => ({
      actor: 'system:operator',
      action: 'limits.changed',
      rateLimitPerMinute,
    })),
  )
})

test.each(['-1', '0', '1.5', '99999999999999999999'])('limits refuses %s and changes nothing', async (limit) => {
  const { account } = await loadTest()
  const { code, err } = await admin('limits', account, ...why, '--', limit)
  expect([code, err]).toEqual([1, `requests per minute: expected a whole number above 0, not ${limit}.\n`])
  expect(await rows('select rate_limit_per_minute as l from accounts where public_id = $1', [account])).toEqual([
    { l: 0 },
  ])
})

test('grant adds credits with its reason; void takes back unpaid ones, at most what is left', async () => {
  const { account, key } = await loadTest(10)
  expect((await admin('grant', account, '25', '--reason', 'apology')).out).toBe(
    '25 credits granted; the account has 35.\n',
  )
  await call(key)
  expect((await admin('void', account, '4')).err).toBe('Give a reason for the audit log: --reason <text>.\n')
  expect((await admin('void', account, '4', '--reason', 'too many')).out).toBe(
    '4 credits taken back; the account has 30.\n',
  )
  expect((await admin('void', account, '1000', '--reason', 'all')).out).toBe(
    '30 credits taken back; the account has 0.\n',
  )
  await expect.poll(async () => (await call(key)).status).toBe(402)
  expect((await audited(account)).slice(-3)).toEqual([
    { actor: 'system:operator', action: 'credits.granted', credits: 25 },
    { actor: 'system:operator', action: 'credits.voided', credits: 4, asked: 4 },
    { actor: 'system:operator', action: 'credits.voided', credits: 30, asked: 1000 },
  ])
  expect(await checkInvariants(server.db)).toEqual([])
})

test('void leaves paid credits alone', async () => {
  const { account } = await loadTest(10)
  const [{ id }] = await rows('select id from accounts where public_id = $1', [account])
  await server.db.pool.query("select credit_grant($1, 'topup', 50::smallint, 40, 'payment', $2, null, null)", [
    id,
    account,
  ])
  expect((await admin('void', account, '50', '--reason', 'x')).out).toBe('10 credits taken back; the account has 40.\n')
})

test('suspend refuses the keys of the account until it is resumed, and both places say so', async () => {
  const { account, key } = await loadTest()
  expect((await call(key)).status).toBe(200)
  expect((await admin('suspend', account)).code).toBe(1)
  expect((await admin('suspend', account, '--reason', 'abuse')).out).toBe(
    'The account is suspended: its calls are refused.\n',
  )
  expect((await admin('suspend', account, '--reason', 'abuse')).out).toBe('The account was already suspended.\n')
  await expect.poll(async () => (await call(key)).status).toBe(403)
  expect(await (await call(key)).json()).toMatchObject({ code: 'account_suspended' })
  const state = () =>
    rows(
      'select suspended_at is not null as said, blocked from accounts a join credit_accounts c on c.account_id = a.id where public_id = $1',
      [account],
    )
  expect(await state()).toEqual([{ said: true, blocked: true }])
  expect((await admin('list', '--suspended')).out).toContain(
    `${account}  nobody  Load test  no plan  99 credits  SUSPENDED`,
  )
  expect((await admin('resume', account, ...why)).out).toBe('The account is active again.\n')
  await expect.poll(async () => (await call(key)).status).toBe(200)
  expect(await state()).toEqual([{ said: false, blocked: false }])
  expect((await admin('list', '--suspended')).out).toBe('No account matches.\n')
  expect((await audited(account)).slice(-2)).toEqual([
    { actor: 'system:operator', action: 'account.suspended' },
    { actor: 'system:operator', action: 'account.resumed' },
  ])
})

test('the other acts on a customer, by the same verbs as in the console, each in the log of operators', async () => {
  const person = await startSession(server, { email: 'cli@example.com' })
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  await server.db.pool.query('update auth.users set email = $2 where id = $1', [person.userId, person.email])
  expect((await admin('note', person.email, 'Called on Monday')).out).toBe(
    'The note is on the page of the customer in the console.\n',
  )
  expect((await admin('resend', person.email, person.email, ...why)).out).toBe(
    'A mail with a new link is on its way to cli@example.com.\n',
  )
  expect((await admin('resend', person.email, 'nobody@example.com', ...why)).err).toBe(
    'Nobody in this account has the address nobody@example.com.\n',
  )
  expect((await admin('export', person.email, ...why)).out).toBe('The owner gets a mail when the export is ready.\n')
  expect((await admin('end-sessions', person.email, ...why)).out).toBe(
    '1 sessions have ended. Keys and connected programs keep working.\n',
  )
  expect((await admin('delete', person.email)).err).toBe('Give a reason for the audit log: --reason <text>.\n')
  expect((await admin('delete', person.email, ...why)).out).toMatch(
    /^Keys and plans of cli@example\.com have ended; the data is erased on \d{4}-\S+Z\. Until then the owner can keep the account\.\n$/,
  )
  expect((await admin('grant', person.email, '5', ...why)).err).toMatch(/^This account is being deleted: /)
  expect(
    await rows('select operator, action, reason from operator_log where account_id = $1 order by id', [workspace.id]),
  ).toEqual(
    [
      ['note.added', 'A note'],
      ['mail.sent_again', 'test'],
      ['export.started', 'test'],
      ['sessions.ended', 'test'],
      ['account.deletion_requested', 'test'],
    ].map(([action, reason]) => ({ operator: 'command line', action, reason })),
  )
})

test('failing lists calls that brought an error, by tool and cause, of the hours that are asked for', async () => {
  await rows(`insert into failed_calls values
    (date_trunc('hour', app_now(), 'UTC'), 'probe_bars', 'tool_timeout', 12, '2026-11-01T10:00:00Z'),
    (date_trunc('hour', app_now(), 'UTC') - interval '30 hours', 'probe_price', 'upstream answered 503', 40, '2026-11-01T09:00:00Z')`)
  const probes = async (...more: string[]) =>
    (await admin('failing', ...more)).out.split('\n').filter((line) => line.startsWith('probe'))
  const bars = 'probe_bars  tool_timeout  12 calls  last 2026-11-01T10:00:00.000Z'
  expect(await probes()).toEqual([bars])
  expect(await probes('--hours', '48')).toEqual([
    'probe_price  upstream answered 503  40 calls  last 2026-11-01T09:00:00.000Z',
    bars,
  ])
  expect((await admin('failing', '--hours', 'x')).err).toContain('--hours: expected a whole number above 0, not x.')
})

test('webhooks lists what could not be posted, without the path of the customer’s address', async () => {
  const { account } = await loadTest(1)
  const [{ id }] = await rows('select id from accounts where public_id = $1', [account])
  expect(await admin('webhooks')).toEqual({ code: 0, out: 'No webhook has failed.\n', err: '' })
  await rows('insert into alert_webhooks values ($1, $2, $3)', [id, 'https://hooks.example/T0/secret?token=x', 'salt'])
  for (const [name, error, done] of [
    ['00000000-0000-4000-8000-000000000001', 'answered 500', '2026-03-02'],
    ['00000000-0000-4000-8000-000000000002', null, '2026-03-02'],
    ['00000000-0000-4000-8000-000000000003', 'answered 404', null],
  ])
    await rows(
      `insert into alert_deliveries (id, account_id, body, attempts, error, done_at, next_attempt_at)
       values ($1, $2, '{}', 2, $3, $4, '2026-03-01')`,
      [name, id, error, done],
    )
  expect((await admin('webhooks')).out).toBe(
    `00000000-0000-4000-8000-000000000003  nobody  https://hooks.example  2 attempts  answered 404  again at 2026-03-01T00:00:00.000Z
00000000-0000-4000-8000-000000000001  nobody  https://hooks.example  2 attempts  answered 500  given up
`,
  )
})

test('payments lists payments by agents, by state', async () => {
  expect(await admin('payments')).toEqual({ code: 0, out: 'There are no payments by agents.\n', err: '' })
  const { account } = await loadTest(1)
  await rows(
    `insert into agent_payments (public_id, supplier, network, asset, payer, nonce, credential_hash, request_hash, pay_to, credits,
       micro_usd, atomic, account_id, state, reference, receipt_id, reason, valid_before, claimed_at, claimed_until)
     select ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'x402', 'n', 'a', '0xab', n, 'h', 'r', 'p', 3, 3000, '3000', id, state,
       reference, receipt, reason, app_now(), '2026-03-01', app_now()
     from accounts, (values ('1', 'settled', '0xcd', 'rcpt_1', null), ('2', 'unknown', null, null, 'not_answered')) p(n, state, reference, receipt, reason)
     where public_id = $1`,
    [account],
  )
  const unknown =
    '00000000-0000-4000-8000-000000000002  unknown  2026-03-01T00:00:00.000Z  3 credits  $0.003000  0xab  not_answered'
  expect((await admin('payments')).out).toBe(
    `${unknown}
00000000-0000-4000-8000-000000000001  settled  2026-03-01T00:00:00.000Z  3 credits  $0.003000  0xab  rcpt_1  0xcd
`,
  )
  expect((await admin('payments', '--state', 'unknown')).out).toBe(`${unknown}\n`)
  expect((await admin('payments', '--state', 'lost')).code).toBe(2)
})

test('plan gives a plan without payment: its limit at once and a month of its credits', async () => {
  const { account } = await loadTest(1)
  await admin('limits', account, 'plan', ...why)
  const wrong = await admin('plan', account, 'price_none', ...why)
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^There is no plan price_none\. Known: Free, /)])
  const [pro] = await rows(
    "select price_id, name, credits, rate_limit_per_minute as l from plans where name = 'Pro' and interval = 'month'",
  )
  expect((await admin('plan', account, pro.price_id, ...why)).out).toBe('The account is on Pro, and has its credits.\n')
  expect((await admin('plan', account, pro.price_id, ...why)).out).toBe(
    'The account is on Pro; its credits come with the next month.\n',
  )
  expect(
    await rows(
      'select balance, account_rate_limit(a.id) as l from accounts a join credit_accounts c on c.account_id = a.id where public_id = $1',
      [account],
    ),
  ).toEqual([{ balance: pro.credits + 1, l: pro.l }])
  const [byUse] = await rows("select price_id from plans where metadata ->> 'type' = 'payg'")
  expect((await admin('plan', account, byUse.price_id, ...why)).err).toMatch(/billed by usage/)
  expect(await checkInvariants(server.db)).toEqual([])
})

test('find knows accounts by name, id and the beginning of a key; wildcards are plain characters', async () => {
  const id = await insertAccount(server.db, 'Fünf 100% & Söhne')
  const [{ public_id: publicId }] = await rows('select public_id from accounts where id = $1', [id])
  const { account, key } = await loadTest()
  const found = async (text: string) => (await admin('find', text)).out
  expect(await found('100%')).toBe(`${publicId}  nobody  Fünf 100% & Söhne  no plan  0 credits\n`)
  expect(await found(publicId.toUpperCase())).toContain(publicId)
  expect(await found(key)).toContain(account)
  expect(await found(key.slice(0, 8))).toContain(account)
  expect(await found('%')).not.toContain(account)
  expect(await found('no such thing')).toBe('No account matches.\n')
})

test('an unknown account, a wrong action and a missing word give a message, not a stack', async () => {
  const missing = await admin('grant', 'nobody@example.com', '5', ...why)
  expect([missing.code, missing.err]).toEqual([
    1,
    "There is no account nobody@example.com. Name it by its id or by its owner's email address.\n",
  ])
  expect(await admin('explode')).toMatchObject({ code: 2, err: expect.stringContaining('npm run admin -- loadtest') })
  expect(await admin('grant', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('npm run admin -- grant') })
})
