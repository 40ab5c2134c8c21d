import { beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { buyCredits, buyPlan, plansByName, settleBilling } from '../../billing/testing/billing.ts'
import { makeKey, startOf } from '../../keys/key-format.ts'
import { encodeReceiptId } from '../../metering/receipt-id.ts'
import { startToolServer } from '../../tools/testing/tool-server.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const one = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows[0]

let operator: TestOperator
let buyer: TestSession
/** The buyer's account. */
let account: { id: number; public_id: string }
const search = async (q: string) => (await operator.call('GET', `/search?q=${encodeURIComponent(q)}`)).body.data
const first = async (q: string) => {
  const { kind, hits } = await search(q)
  return [kind, hits[0]?.id, hits[0]?.exact]
}

beforeAll(async () => {
  operator = await openConsole(server, 'viewer')
  buyer = await startSession(server, { email: 'mara@acme.example', userMetadata: { full_name: 'Mara Quist' } })
  for (const email of ['mara@acme.example.org', 'mar@acme.example', 'zoe@other.example'])
    await (await startSession(server, { email })).call('GET', '/api/keys')
  await buyer.call('GET', '/api/keys')
  account = await one('select id, public_id from accounts where personal_of = $1', [buyer.userId])
  const { Pro } = await plansByName(buyer)
  await buyPlan(server, buyer, Pro)
  await buyCredits(server, buyer, 1)
  const { payment_intent_id } = await one(
    'select payment_intent_id from invoices where account_id = $1 and topup_id is not null',
    [account.id],
  )
  await server.deps.stripe!.client.refunds.create({ payment_intent: payment_intent_id, amount: 100 })
  await settleBilling(server)
})

test('every id of the payment provider leads to its customer', async () => {
  const known = {
    payment_customer: 'select id from billing_customers where account_id = $1',
    invoice: 'select id from invoices where account_id = $1 limit 1',
    payment: 'select payment_intent_id as id from invoices where account_id = $1 and topup_id is not null',
    charge: 'select charge_id as id from reversals where account_id = $1',
    subscription: 'select id from subscriptions where account_id = $1 limit 1',
    event: `select e.id from stripe_events e join billing_customers b on b.id = e.customer_id where b.account_id = $1 limit 1`,
  }
  for (const [kind, query] of Object.entries(known)) {
    const row = await one(query, [account.id])
    expect([kind, await first(row?.id)]).toEqual([kind, [kind, account.public_id, true]])
  }
})

test('the provider is asked for refunds, and for charges that nobody refunded', async () => {
  const { client } = server.deps.stripe!
  const refund = (await client.refunds.list({ limit: 1 })).data[0]!.id
  expect(await first(refund)).toEqual(['refund', account.public_id, true])
  const charges = (await client.charges.list({ limit: 10 })).data
  const untouched = charges.find(({ amount_refunded }) => amount_refunded === 0)!.id
  expect(await first(untouched)).toEqual(['charge', account.public_id, true])
  expect(await search('ch_unknown')).toEqual({ kind: 'charge', hits: [] })
  expect(await search('re_unknown')).toEqual({ kind: 'refund', hits: [] })
})

test('an address, its domain, a person, an account, a user and an invoice number have the right first hit', async () => {
  const { number } = await one('select number from invoices where account_id = $1 and number is not null limit 1', [
    account.id,
  ])
  expect(await first('MARA@acme.example')).toEqual(['email', account.public_id, true])
  expect(await first('acme.example')).toEqual(['domain', expect.any(String), true])
  expect((await search('@acme.example')).hits.map(({ title }: { title: string }) => title)).toEqual([
    'mar@acme.example',
    'mara@acme.example',
    'mara@acme.example.org',
  ])
  expect(await first('mara qu')).toEqual(['name', account.public_id, false])
  expect(await first('Mara Quist')).toEqual(['name', account.public_id, true])
  expect(await first(account.public_id)).toEqual(['id', account.public_id, true])
  expect(await first(buyer.userId)).toEqual(['id', account.public_id, true])
  expect(await search(number.toLowerCase())).toMatchObject({
    kind: 'invoice_number',
    hits: [
      {
        to: 'invoice',
        id: account.public_id,
        title: 'mara@acme.example',
        detail: `Personal, invoice ${number}`,
        exact: true,
      },
    ],
  })
})

test('a name that is exactly the term comes before names that begin with it', async () => {
  for (const name of ['Acme Data', 'Acme', 'Acme 100%', 'Beta_1', 'Beta41'])
    await server.db.pool.query('insert into accounts (name) values ($1)', [name])
  const titles = async (q: string) => (await search(q)).hits.map(({ title }: { title: string }) => title)
  expect(await titles('acme')).toEqual(['Acme', 'Acme 100%', 'Acme Data'])
  // No wildcards.
  expect(await titles('acme%')).toEqual([])
  expect(await titles('beta_')).toEqual(['Beta_1'])
  // Like a domain, but a name.
  await server.db.pool.query(`insert into accounts (name) values ('prices.io Ltd')`)
  expect(await search('prices.io')).toMatchObject({ kind: 'name', hits: [{ title: 'prices.io Ltd' }] })
})

test('ten hits at most', async () => {
  await server.db.pool.query(`insert into accounts (name) select 'Crowd ' || n from generate_series(1, 12) n`)
  expect((await search('crowd')).hits).toHaveLength(10)
})

test('the start of a key finds it, a deleted one too, and a whole key is cut', async () => {
  const key = makeKey()
  await server.db.pool.query(
    `insert into api_keys (public_id, account_id, name, hash, start, deleted_at)
     values (gen_random_uuid(), $1, 'Old', sha256($2::text::bytea), $3, app_now())`,
    [account.id, key, startOf(key)],
  )
  for (const text of [startOf(key), key, `Bearer ${key}`])
    expect(await search(text)).toEqual({
      kind: 'key',
      hits: [
        {
          to: 'customer',
          id: account.public_id,
          title: 'mara@acme.example',
          detail: `Personal, key Old, ${startOf(key)}..., deleted`,
          exact: true,
        },
      ],
    })
})

test('a receipt leads to its page; what is none leads nowhere', async () => {
  const id = encodeReceiptId({ batch: '0b0e6b4e-9d0d-4a8e-9d0b-1f6a3c1d2e3f', n: 1, atMicros: 1_764_000_000_000_000 })
  expect(await search(id)).toEqual({
    kind: 'receipt',
    hits: [{ to: 'receipt', id, title: 'Receipt', detail: id, exact: true }],
  })
  expect(await search('rcpt_short')).toEqual({ kind: 'receipt', hits: [] })
  expect(await search('in_unknown')).toEqual({ kind: 'invoice', hits: [] })
})

test('a term that is too long is refused', async () => {
  const { status, body } = await operator.call('GET', `/search?q=${'a'.repeat(201)}`)
  expect([status, body.code]).toEqual([400, 'invalid_parameter'])
})

test('a whole key that a program sends is in no line of the log', async () => {
  const logged: string[] = []
  const noisy = await startToolServer(undefined, { SANDBOX: 'on' }, logged)
  try {
    const { call } = await openConsole(noisy as unknown as TestServer, 'viewer')
    const key = makeKey()
    expect((await call('GET', `/search?q=${key}`)).status).toBe(200)
    expect((await call('GET', `/search?q=${key}&q=${key}`)).status).toBe(400)
    await expect.poll(() => logged.filter((line) => line.includes('/operator/api/search')).length).toBe(2)
    expect(logged.join('')).not.toContain(key.slice(0, 9))
  } finally {
    await noisy.close()
  }
})
