import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { accountOf, buyCredits, passTime, saveCard, settleBilling, spend } from '../testing/billing.ts'
import { berlin, setUpTaxes } from '../testing/set-up-taxes.ts'
import { runAutoTopups } from './auto-topup.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer({ env: { TAXES: 'stripe' } })
  await setUpTaxes(server)
})
afterAll(() => server.close())
beforeEach(async () => {
  // One that a limit stopped goes on in the next month, which passed time may reach.
  await server.db.pool.query('update auto_topups set enabled = false')
  person = await startSession(server)
})

const get = async (path: string) => (await person.call('GET', path)).body.data
const remaining = async () => (await get('/api/billing/credits')).credits.remaining
const rule = async () => (await get('/api/billing/credits/topup')).autoTopup
const amounts = async () =>
  (await get('/billing/invoices')).map(
    ({ amount, status }: { amount: number; status: string }) => `${amount} ${status}`,
  )
const set = (body: object) =>
  person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 1_000, ...body } })
const run = async () => {
  await runAutoTopups(server.deps)
  await settleBilling(server)
}
const mailed = (...subjects: string[]) =>
  expect.poll(() => server.mailbox!.list(person.email).map(({ subject }) => subject)).toEqual(subjects)
const client = () => server.deps.stripe!.client
const customer = async () =>
  (
    await server.db.pool.query('select id from billing_customers where account_id = $1', [
      await accountOf(server, person),
    ])
  ).rows[0].id as string
/** What the provider holds of this customer that could still be paid or become payable. */
const payable = async () =>
  (await client().invoices.list({ customer: await customer(), limit: 100 })).data
    .map(({ status }) => status)
    .filter((status) => status === 'draft' || status === 'open')

/** Buys 10,000 credits with a saved card from Berlin, then spends all but 500. */
async function almostEmpty(card = 'pm_card_visa') {
  await buyCredits(server, person, 1, { saveCard: true, buyer: berlin })
  if (card !== 'pm_card_visa') await saveCard(server, person, card)
  await spend(server, person, 9_500)
}

async function loseThePlace() {
  await client().customers.update(await customer(), { address: '', tax: { validate_location: 'deferred' } })
  await settleBilling(server)
}

test('without a place nothing payable is left, the owner is asked, and the address lets it go on', async () => {
  await almostEmpty()
  await loseThePlace()
  await set({})
  await run()
  await run()
  expect(await remaining()).toBe(500)
  expect(await payable()).toEqual([])
  expect(await amounts()).toEqual(['238 paid'])
  expect(await rule()).toMatchObject({ suspended: 'no_location' })
  await mailed('Automatic top-ups have stopped')
  const body = { name: 'Bär GmbH', country: 'DE', postalCode: '10119' }
  expect((await person.call('PUT', '/api/billing/address', { body })).status).toBe(200)
  expect(await rule()).toMatchObject({ suspended: null })
  await run()
  expect(await remaining()).toBe(10_500)
  expect(await amounts()).toEqual(['238 paid', '238 paid'])
})

test('the monthly limit includes the tax, and fewer packs are bought if that is enough', async () => {
  await almostEmpty()
  // Three packs cost 600 cents and 714 with tax.
  await set({ threshold: 25_000, monthlyCapCents: 700 })
  await run()
  expect(await remaining()).toBe(20_500)
  expect((await amounts()).sort()).toEqual(['238 paid', '476 paid'])
})

test('a limit below one top-up with its tax is refused when it is set', async () => {
  await almostEmpty()
  const refused = await set({ monthlyCapCents: 237 })
  expect([refused.status, refused.body.error]).toEqual([
    400,
    'monthlyCapCents: one top-up costs $2.38 with tax, so the cap must be at least that',
  ])
  expect((await set({ monthlyCapCents: 238 })).status).toBe(200)
})

test('what the provider keeps for the customer pays first, and the credits are those of the packs', async () => {
  for (const [balance, paid] of [
    [-100, 138],
    [-1_000, 0],
  ] as const) {
    await almostEmpty()
    await client().customers.update(await customer(), { balance })
    await set({})
    await run()
    expect(await remaining()).toBe(10_500)
    const { rows } = await server.db.pool.query(
      'select sum(cents)::int as cents, sum(cents) filter (where source = $2)::int as tax from money_ledger where account_id = $1',
      [await accountOf(server, person), 'tax'],
    )
    expect(rows).toEqual([{ cents: 238 + paid, tax: 76 }])
    person = await startSession(server)
  }
})

test('a tax that is higher than planned never passes the limit', async () => {
  await almostEmpty()
  await server.db.pool.query('update topups set total_cents = null where account_id = $1', [
    await accountOf(server, person),
  ])
  await set({ monthlyCapCents: 220 })
  await run()
  await run()
  await run()
  expect(await remaining()).toBe(500)
  expect(await payable()).toEqual([])
  expect((await amounts()).sort()).toEqual(['238 paid', '238 void'])
  expect(await rule()).toMatchObject({ suspended: null })
  await mailed('Automatic top-ups have reached their monthly limit')
})

test('a payment that is confirmed later costs what was announced, wherever the customer is by then', async () => {
  await almostEmpty('pm_card_authenticationRequired')
  await set({})
  await run()
  await mailed('Confirm your top-up')
  expect(server.mailbox!.list(person.email)[0]!.text).toContain('It costs $2.38, including tax.')
  await client().customers.update(await customer(), { address: { country: 'CH', postal_code: '8001' } })
  await settleBilling(server)
  await run()
  const { actionUrl } = await rule()
  const page = await (await fetch(actionUrl)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await fetch(actionUrl, {
    method: 'POST',
    body: new URLSearchParams({ token, outcome: 'authenticate' }),
    redirect: 'manual',
  })
  await settleBilling(server)
  expect(await amounts()).toEqual(['238 paid', '238 paid'])
  expect(await remaining()).toBe(10_500)
})

const cannotCompute = new Stripe.errors.StripeInvalidRequestError({
  type: 'invalid_request_error',
  code: 'taxes_calculation_failed',
  message: 'Taxes could not be calculated.',
})

test('a provider that cannot compute the tax charges nothing, leaves nothing payable, and is asked again', async () => {
  await almostEmpty()
  await set({})
  const broken = vi.spyOn(client().invoices, 'finalizeInvoice').mockRejectedValueOnce(cannotCompute)
  await run()
  expect(broken).toHaveBeenCalledOnce()
  expect(await remaining()).toBe(500)
  expect(await payable()).toEqual([])
  broken.mockRestore()
  // The events of the deleted draft are no failures.
  const { rows } = await server.db.pool.query(
    `select (select count(*)::int from invoices where account_id = $1) as invoices,
       (select count(*)::int from stripe_events where attempts > 0) as failed`,
    [await accountOf(server, person)],
  )
  expect(rows).toEqual([{ invoices: 1, failed: 0 }])
  await passTime(server, 3_700)
  await run()
  expect(await remaining()).toBe(10_500)
  expect(await amounts()).toEqual(['238 paid', '238 paid'])
})

test('after a crash while the draft is taken back nothing stays open, and the next one buys', async () => {
  await almostEmpty()
  await set({})
  const { invoices } = client()
  const broken = vi.spyOn(invoices, 'finalizeInvoice').mockRejectedValueOnce(cannotCompute)
  const killed = vi.spyOn(invoices, 'del').mockRejectedValueOnce(new Error('killed'))
  await runAutoTopups(server.deps)
  expect(killed).toHaveBeenCalledOnce()
  broken.mockRestore()
  killed.mockRestore()
  await server.db.pool.query("update topups set created_at = created_at - interval '3 minutes'")
  await run()
  expect(await remaining()).toBe(500)
  await passTime(server, 3_700)
  await run()
  expect(await remaining()).toBe(10_500)
  expect(await payable()).toEqual([])
  expect(await amounts()).toEqual(['238 paid', '238 paid'])
})

test('after a crash at any step the taxed charge resumes, and buys once', async () => {
  await almostEmpty()
  await set({})
  const { invoices } = client()
  for (const name of ['create', 'finalizeInvoice', 'pay'] as const) {
    const original = invoices[name]
    invoices[name] = (async (...args: never[]) => {
      await (original as (...given: never[]) => Promise<unknown>).apply(invoices, args)
      invoices[name] = original as never
      throw new Error('killed')
    }) as never
    await runAutoTopups(server.deps)
    await server.db.pool.query("update topups set created_at = created_at - interval '3 minutes'")
  }
  await run()
  expect(await remaining()).toBe(10_500)
  expect(await amounts()).toEqual(['238 paid', '238 paid'])
})

/** The next answer to this request is lost: the provider has done the work. */
function loseAnswer(step: string): void {
  const [kind, name] = step.split('.') as ['invoices', 'create']
  const calls = client()[kind]
  const original = calls[name]
  calls[name] = (async (...args: never[]) => {
    await (original as (...given: never[]) => Promise<unknown>).apply(calls, args)
    calls[name] = original
    throw new Error('killed')
  }) as never
}

/** Items that would be on the customer's next invoice. */
const waitingItems = async () =>
  (
    await server.db.pool.query(
      "select count(*)::int as n from stripe_sandbox.objects where type = 'invoiceitem' and not deleted and body ->> 'customer' = $1 and body ->> 'invoice' is null",
      [await customer()],
    )
  ).rows[0].n

const later = () => server.db.pool.query("update topups set created_at = created_at - interval '3 minutes'")

test('an invoice whose answers were lost is taken back when the top-up is given up', async () => {
  for (const step of ['invoices.create', 'invoiceItems.create', 'invoices.finalizeInvoice']) {
    for (const giveUp of [loseThePlace, () => passTime(server, 21 * 3_600)]) {
      await almostEmpty()
      await set({})
      loseAnswer(step)
      await runAutoTopups(server.deps)
      expect(await payable()).toHaveLength(1)
      await later()
      // Stripe repeats the answer that it has kept for the key.
      const broken = vi.spyOn(client().invoices, 'finalizeInvoice').mockRejectedValue(new Error('a kept answer'))
      await giveUp()
      await run()
      broken.mockRestore()
      expect([step, await payable(), await waitingItems()]).toEqual([step, [], 0])
      await set({ enabled: false })
      person = await startSession(server)
    }
  }
})

test('a payment page whose tax cannot be computed is refused with the reason, and opens later', async () => {
  const broken = vi.spyOn(client().checkout.sessions, 'create').mockRejectedValueOnce(cannotCompute)
  const open = () => person.call('POST', '/api/billing/credits/topup', { body: { packs: 1, requestId: 'once' } })
  const refused = await open()
  broken.mockRestore()
  expect([refused.status, refused.body.error]).toEqual([
    503,
    'The tax could not be computed. Nothing was charged. Check your billing address under Billing, then try again.',
  ])
  expect((await open()).status).toBe(200)
})
