import { beforeEach, expect, test } from 'vitest'
import { accountOf, buyCredits, settleBilling, spend } from '../features/billing/testing/billing.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer } from '../testing/harness.ts'
import { runAdmin, runCommand } from '../testing/run-admin.ts'
import { startSession, type TestSession } from '../testing/session.ts'

let person: TestSession
const server = await closeAfterTests(startTestServer())
beforeEach(async () => {
  person = await startSession(server)
})

/** Runs the command as an operator does, on the server's database. */
const billing = (...words: string[]) =>
  runCommand('billing', words, {
    NODE_ENV: 'test',
    DATABASE_URL: server.databaseUrl,
    KEYS_SECRET: 'ab'.repeat(32),
  })

const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows
/** Without asking the product, whose answer would check open pages first. */
const balance = async () =>
  (await rows('select balance from credit_accounts where account_id = $1', [await accountOf(server, person)]))[0]
    .balance
const ledger = async () =>
  rows('select * from credit_ledger where account_id = $1 order by 1', [await accountOf(server, person)])

test.each(
  [
    ['nonsense'],
    ['replay'],
    ['reconcile', '--now'],
    ['refund'],
    ['claim', 'in_1', 'in_2'],
    ['refund', 'in_1', '1.5'],
  ].map((words) => [words]),
)('unknown words, %j, print the usage and exit with code 2', async (words) => {
  const { code, out, err } = await billing(...words)
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('npm run billing -- reconcile       compares with Stripe')
  expect(err).toContain('npm run billing -- replay <event>  applies an event once more')
  expect(err.trimEnd().split('\n').at(-6)).toMatch(/^npm run billing -- reconcile/)
})

test('events lists what was given up, replay applies it once, and replaying again changes nothing', async () => {
  await buyCredits(server, person, 2)
  const [paid] = await rows("select id from stripe_events where type = 'invoice.paid' order by created_at desc limit 1")
  // As if the event had failed ten times: what it did is not there, and it waits for an operator.
  const account = await accountOf(server, person)
  await server.db.pool.query(
    `begin; set local session_replication_role = replica;
     delete from credit_ledger where account_id = ${account}; delete from credit_grants where account_id = ${account};
     update credit_accounts set balance = 0 where account_id = ${account};
     update topups set status = 'open', closed_at = null where account_id = ${account};
     update stripe_events set processed_at = null, dead_at = now(), attempts = 10, error = 'Stripe did not answer' where id = '${paid.id}'; commit`,
  )
  expect(await balance()).toBe(0)
  const listed = await billing('events')
  expect([listed.code, listed.out]).toEqual([
    0,
    `${paid.id}  invoice.paid  Stripe did not answer\nnpm run billing -- replay <event> retries one.\n`,
  ])
  const first = await billing('replay', paid.id)
  expect([first.code, first.out]).toEqual([0, 'The event was applied.\n'])
  expect(await balance()).toBe(20_000)
  const after = await ledger()
  const second = await billing('replay', paid.id)
  expect([second.code, second.out]).toEqual([0, 'The event was applied.\n'])
  expect(await ledger()).toEqual(after)
  expect((await billing('events')).out).toBe('No event has been given up.\n')
})

test('an unknown event is named, with code 1', async () => {
  const { code, out, err } = await billing('replay', 'evt_nobody')
  expect([code, out, err]).toEqual([1, '', 'There is no event evt_nobody.\n'])
})

test('an event that fails again says why, with code 1', async () => {
  await server.db.pool.query(
    `insert into stripe_events (id, type, object_id, created_at, dead_at) values ('evt_bad', 'invoice.paid', 'in_nothing', now(), now())`,
  )
  const { code, err } = await billing('replay', 'evt_bad')
  expect(code).toBe(1)
  expect(err).toContain('The event failed again: No such invoice')
  await server.db.pool.query("delete from stripe_events where id = 'evt_bad'")
})

test('reconcile repairs what no webhook brought, says so, and then finds nothing more', async () => {
  const { disturbances } = server.stripeSandbox!
  disturbances.drop = () => true
  await buyCredits(server, person, 1)
  disturbances.drop = () => false
  expect(await balance()).toBe(0)
  const first = await billing('reconcile')
  expect(first.code).toBe(0)
  expect(first.out).toMatch(/^\d+ objects compared, [1-9]\d* missed events, \d+ repaired\./)
  expect(await balance()).toBe(10_000)
  const second = await billing('reconcile')
  expect([second.code, second.out]).toEqual([
    0,
    expect.stringMatching(/^\d+ objects compared, 0 missed events, 0 repaired\.\n$/),
  ])
})

test('reconcile ends with code 1 where money and credits do not add up', async () => {
  await buyCredits(server, person, 1)
  await settleBilling(server)
  const account = await accountOf(server, person)
  await server.db.pool.query('update credit_accounts set balance = balance + 5 where account_id = $1', [account])
  const { code, out } = await billing('reconcile')
  expect(code).toBe(1)
  expect(out).toMatch(/^VIOLATION {2}/m)
  await server.db.pool.query('update credit_accounts set balance = balance - 5 where account_id = $1', [account])
})

test('seed makes what is missing, and a second time nothing', async () => {
  const count = async () =>
    (await rows("select count(*)::int as n from stripe_sandbox.objects where type in ('product', 'price')"))[0].n
  const before = await count()
  const { code, out } = await billing('seed')
  expect([code, out]).toEqual([0, '3 plans are offered.\n'])
  expect(await count()).toBe(before)
})

test('refund sends money back in parts, and claim lets later credits pay for those that were spent', async () => {
  await buyCredits(server, person, 2)
  await spend(server, person, 15_000)
  const [invoice] = await rows('select id from invoices where account_id = $1', [await accountOf(server, person)])
  const half = await billing('refund', invoice.id, '200', '--reason', 'half back')
  expect([half.code, half.out]).toEqual([
    0,
    `200 cents refunded. Of this payment, 5000 credits were taken back, 5000 were spent.
npm run billing -- claim ${invoice.id} makes later credits pay for the spent ones.
`,
  ])
  const listed = await runAdmin(server.databaseUrl, ['invoices', person.email])
  expect(listed.out).toMatch(
    /^in_\w+ {2}\S+ {2}paid {2}\d{4}-\d\d-\d\dT\S+Z {2}\$4\.00 {2}\$2\.00 taken back {2}\S+@\S+\n$/,
  )
  expect(listed.out).toContain(`${invoice.id}  `)
  const claimed = await billing('claim', invoice.id)
  expect([claimed.code, claimed.out]).toEqual([0, '5000 credits are owed now; the next grants pay them first.\n'])
  const [{ debt }] = await rows('select debt_credits::int as debt from credit_accounts where account_id = $1', [
    await accountOf(server, person),
  ])
  expect(debt).toBe(5_000)
  await buyCredits(server, person, 1)
  expect(await balance()).toBe(5_000)
})

test('refunding an unpaid invoice is refused, with code 1', async () => {
  const { code, out, err } = await billing('refund', 'in_nothing', '--reason', 'none')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('There is no paid invoice in_nothing.')
})

test('claim names an invoice of which no money went back, with code 1', async () => {
  const { code, out, err } = await billing('claim', 'in_nothing')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('No money of an invoice in_nothing went back.')
})
