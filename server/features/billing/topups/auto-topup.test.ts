import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { endBilling } from '../end-billing.ts'
import { fetchSavedCard } from '../stripe/cards.ts'
import { accountOf, buyCredits, passTime, saveCard, settleBilling, spend } from '../testing/billing.ts'
import { applyTopup } from './apply-topup.ts'
import { runAutoTopups } from './auto-topup.ts'
import { suspendTopups } from './fail-topup.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const get = async (path: string) => (await person.call('GET', path)).body.data
const remaining = async () => (await get('/api/billing/credits')).credits.remaining
const rule = async () => (await get('/api/billing/credits/topup')).autoTopup
const set = (body: object) =>
  person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, ...body } })
/** Emails are sent by SMTP, so they arrive a moment later. */
const mailed = (...subjects: string[]) =>
  expect.poll(() => server.mailbox!.list(person.email).map(({ subject }) => subject)).toEqual(subjects)
const run = async () => {
  await runAutoTopups(server.deps)
  await settleBilling(server)
}

/** Buys 10,000 credits with a saved card, then spends all but 500. */
async function almostEmpty(card = 'pm_card_visa') {
  await buyCredits(server, person, 1, { saveCard: true })
  if (card !== 'pm_card_visa') await saveCard(server, person, card)
  await spend(server, person, 9_500)
}

test('a balance under the threshold is topped up once, with the saved card, in one payment for the whole gap', async () => {
  await almostEmpty()
  await set({ threshold: 25_000 })
  await run()
  expect(await remaining()).toBe(30_500)
  await run()
  expect(await remaining()).toBe(30_500)
  const invoices = await get('/billing/invoices')
  expect(invoices.map(({ amount }: { amount: number }) => amount).sort()).toEqual([200, 600])
})

test('two instances at the same moment buy once', async () => {
  await almostEmpty()
  await set({ threshold: 1_000 })
  await Promise.all([runAutoTopups(server.deps), runAutoTopups(server.deps)])
  await settleBilling(server)
  expect(await remaining()).toBe(10_500)
})

test('after a crash at any step the charge resumes, and buys once', async () => {
  await almostEmpty()
  await set({ threshold: 1_000 })
  const stripe = server.deps.stripe!
  for (const name of ['create', 'finalizeInvoice', 'pay'] as const) {
    const original = stripe.client.invoices[name]
    // The call reaches Stripe, but its response is lost.
    stripe.client.invoices[name] = (async (...args: never[]) => {
      await (original as (...given: never[]) => Promise<unknown>).apply(stripe.client.invoices, args)
      stripe.client.invoices[name] = original as never
      throw new Error('killed')
    }) as never
    await runAutoTopups(server.deps)
    await server.db.pool.query("update topups set created_at = created_at - interval '3 minutes'")
  }
  await run()
  expect(await remaining()).toBe(10_500)
  expect((await get('/billing/invoices')).length).toBe(2)
})

test('a declined card is retried after an hour, and no longer after three refusals until another card is saved', async () => {
  await almostEmpty('pm_card_chargeCustomerFail')
  await set({ threshold: 1_000 })
  await run()
  await run()
  expect(await rule()).toMatchObject({ suspended: null })
  const attempts = async () =>
    (
      await server.db.pool.query("select count(*)::int as n from topups where account_id = $1 and origin = 'auto'", [
        await accountOf(server, person),
      ])
    ).rows[0].n
  expect(await attempts()).toBe(1)
  for (let hour = 0; hour < 4; hour++) {
    await passTime(server, 3_700)
    await run()
  }
  expect(await attempts()).toBe(3)
  expect(await rule()).toMatchObject({ suspended: 'card_declined' })
  await mailed('Automatic top-ups have stopped')
  const { rows } = await server.db.pool.query(
    "select distinct body ->> 'status' as status from stripe_sandbox.objects where type = 'invoice' and id in (select invoice_id from topups where account_id = $1 and origin = 'auto')",
    [await accountOf(server, person)],
  )
  expect(rows).toEqual([{ status: 'void' }])
  expect(await remaining()).toBe(500)
  await saveCard(server, person, 'pm_card_mastercard')
  expect(await rule()).toMatchObject({ suspended: null })
  await run()
  expect(await remaining()).toBe(10_500)
})

test('when the bank wants a confirmation, top-ups pause and the customer gets a link to confirm', async () => {
  await almostEmpty('pm_card_authenticationRequired')
  await set({ threshold: 1_000 })
  await run()
  const waiting = await rule()
  expect(waiting.suspended).toBe('authentication_required')
  expect(waiting.actionUrl).toMatch(/^http:\/\/localhost:\d+\/sandbox\//)
  await mailed('Confirm your top-up')
  await run()
  await mailed('Confirm your top-up')
  const page = await (await fetch(waiting.actionUrl)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ token, outcome: 'authenticate' })
  await fetch(waiting.actionUrl, { method: 'POST', body, redirect: 'manual' })
  await settleBilling(server)
  expect(await remaining()).toBe(10_500)
  expect(await rule()).toMatchObject({ suspended: null, actionUrl: null })
})

test('without a confirmation nothing is charged and the invoice is voided after a day', async () => {
  await almostEmpty('pm_card_authenticationRequired')
  await set({ threshold: 1_000 })
  await run()
  await passTime(server, 25 * 3_600)
  await run()
  expect(await remaining()).toBe(500)
  expect((await get('/billing/invoices')).map(({ status }: { status: string }) => status).sort()).toEqual([
    'paid',
    'void',
  ])
  expect(await rule()).toMatchObject({ suspended: 'authentication_required', actionUrl: null })
})

test('without a saved card it stops and says so', async () => {
  await set({ threshold: 1_000 })
  await person.call('POST', '/api/billing/portal', { body: {} })
  await run()
  expect(await rule()).toMatchObject({ suspended: 'no_card' })
  await mailed('Automatic top-ups have stopped')
})

test('the monthly limit is never exceeded and sends one mail', async () => {
  // Not at the end of a UTC month: the next one has a limit of its own.
  const { rows } = await server.db.pool.query(
    `select extract(epoch from date_trunc('month', app_now(), 'UTC') + interval '1 month' - app_now())::int as left`,
  )
  if (rows[0].left < 3_600) await passTime(server, 3_600)
  await almostEmpty()
  await set({ threshold: 25_000, monthlyCapCents: 500 })
  await run()
  expect(await remaining()).toBe(20_500)
  await spend(server, person, 20_000)
  await passTime(server, 700)
  await run()
  await run()
  expect(await remaining()).toBe(500)
  await mailed('Automatic top-ups have reached their monthly limit')
})

test('a slow bank debit is neither repeated nor granted before it arrives', async () => {
  await almostEmpty('pm_usBankAccount_success')
  await set({ threshold: 1_000 })
  await run()
  await passTime(server, 86_400)
  await run()
  expect(await remaining()).toBe(500)
  await passTime(server, 5 * 86_400)
  await run()
  expect(await remaining()).toBe(10_500)
})

test.each([
  [{ packs: 0 }, 'packs: must be at least 1'],
  [{ threshold: -1 }, 'threshold: must be at least 0'],
  [{ packs: 3, monthlyCapCents: 599 }, 'monthlyCapCents: one top-up costs 600 cents, so the cap must be at least that'],
])('refuses %j', async (body, text) => {
  const answer = await set(body)
  expect([answer.status, answer.body.error]).toEqual([400, text])
})

test('a balance at the threshold is enough', async () => {
  await almostEmpty()
  await set({ threshold: 500 })
  await run()
  expect(await remaining()).toBe(500)
  await spend(server, person, 1)
  await run()
  expect(await remaining()).toBe(10_499)
})

test('a payment of another amount or account buys nothing', async () => {
  await almostEmpty()
  const accountId = await accountOf(server, person)
  const { rows } = await server.db.pool.query(
    `insert into topups (account_id, origin, cents, credits) values ($1, 'checkout', 200, 10000) returning id`,
    [accountId],
  )
  const pay = (change: object) =>
    server.db.kysely.transaction().execute((tx) =>
      applyTopup({ ...server.deps, stripe: server.deps.stripe!, tx }, rows[0].id, {
        accountId,
        totalCents: 200,
        paidCents: 200,
        invoiceId: null,
        paymentIntentId: null,
        currency: 'usd',
        ...change,
      }),
    )
  await pay({ totalCents: 199 })
  await pay({ accountId: accountId + 1 })
  expect(await remaining()).toBe(500)
  await pay({})
  expect(await remaining()).toBe(10_500)
})

test('two automatic top-ups in ten minutes are enough, whatever is spent', async () => {
  await almostEmpty()
  await set({ threshold: 1_000 })
  for (const bought of [10_000, 10_000, 0]) {
    await run()
    expect(await remaining()).toBe(500 + bought)
    await spend(server, person, bought)
    await passTime(server, 200)
  }
  await passTime(server, 1)
  await run()
  expect(await remaining()).toBe(10_500)
})

const suspend = async (reason: string) => {
  const accountId = await accountOf(server, person)
  const customer = `select id from billing_customers where account_id = $1`
  const card = await fetchSavedCard(server.deps.stripe!, (await server.db.pool.query(customer, [accountId])).rows[0].id)
  await suspendTopups(server.db.kysely, accountId, reason, card)
}

test('a limit of exactly one top-up a month is taken, and a deleted account buys none', async () => {
  await almostEmpty()
  expect((await set({ threshold: 1_000, monthlyCapCents: 200 })).status).toBe(200)
  await server.db.kysely
    .transaction()
    .execute(async (tx) => endBilling(tx, { ...server.deps, stripe: null }, await accountOf(server, person)))
  await run()
  expect(await remaining()).toBe(500)
})

test('the same card saved again does not end a suspension, another does', async () => {
  await almostEmpty()
  await set({ threshold: 400 })
  await suspend('card_declined')
  await saveCard(server, person, 'pm_card_visa')
  expect(await rule()).toMatchObject({ suspended: 'card_declined' })
  await saveCard(server, person, 'pm_card_mastercard')
  expect(await rule()).toMatchObject({ suspended: null })
})

test('a top-up that is paid during a dispute does not end the suspension', async () => {
  await almostEmpty()
  await set({ threshold: 400 })
  await suspend('dispute')
  const accountId = await accountOf(server, person)
  const { rows } = await server.db.pool.query(
    `insert into topups (account_id, origin, cents, credits) values ($1, 'auto', 200, 10000) returning id`,
    [accountId],
  )
  const payment = {
    accountId,
    totalCents: 200,
    paidCents: 200,
    invoiceId: null,
    paymentIntentId: null,
    currency: 'usd',
  }
  await server.db.kysely
    .transaction()
    .execute((tx) => applyTopup({ ...server.deps, stripe: server.deps.stripe!, tx }, rows[0].id, payment))
  expect(await remaining()).toBe(10_500)
  expect(await rule()).toMatchObject({ suspended: 'dispute' })
})
