import fc from 'fast-check'
import type Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { timeForRuns } from '../../../testing/time-for-runs.ts'
import { foldTaxes } from '../../operator/figures/fold-taxes.ts'
import { readTaxes } from '../../operator/figures/taxes.ts'
import { refundInvoice } from '../refunds/refund-invoice.ts'
import { accountOf, buyCredits, buyPlan, passTime, plansByName, saveCard, settleBilling } from '../testing/billing.ts'
import { berlin, setUpTaxes } from '../testing/set-up-taxes.ts'

const server = await closeAfterTests(startTestServer({ env: { TAXES: 'stripe' } }))
const { client } = server.deps.stripe!
beforeAll(async () => {
  await setUpTaxes(server)
  for (const [country, options] of [
    ['GB', { gb: { type: 'standard' } }],
    ['CH', { ch: { type: 'standard' } }],
    ['US', { us: { type: 'state_sales_tax', state: 'CA' } }],
  ] as const)
    await client.tax.registrations.create({ country, country_options: options, active_from: 'now' })
})

/** Buyers, and the percentage that their countries publish, in hundredths. */
const buyers = {
  Berlin: [1_900, berlin],
  London: [2_000, { country: 'GB', line1: '1 Strand', postal_code: 'WC2N 5HR', city: 'London' }],
  Zurich: [810, { country: 'CH', line1: 'Bahnhofstr. 1', postal_code: '8001', city: 'Zürich' }],
  California: [725, { country: 'US', line1: '1 Market St', postal_code: '94105', city: 'San Francisco', state: 'CA' }],
  'Paris, in reverse': [
    0,
    {
      country: 'FR',
      line1: '1 rue de Rivoli',
      postal_code: '75001',
      city: 'Paris',
      business_name: 'Étoile SARL',
      tax_id_type: 'eu_vat',
      tax_id: 'FR12345678901',
    },
  ],
} satisfies Record<string, [number, Record<string, string>]>

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
const taxOf = ({ total_taxes }: { total_taxes: { amount: number }[] | null }) =>
  sum((total_taxes ?? []).map(({ amount }) => amount))

/** A line's tax is the share of its amount that the percentage says, to the nearest cent, a half away from zero. */
function expectLineTax({ amount, taxes }: Pick<Stripe.InvoiceLineItem, 'amount' | 'taxes'>, hundredths: number) {
  expect(taxes).toHaveLength(1)
  const [tax] = taxes!
  const whole = tax!.tax_behavior === 'inclusive' ? 10_000 + hundredths : 10_000
  const beyond = 2 * (Math.abs(tax!.amount) * whole - Math.abs(amount) * hundredths)
  expect(beyond, `${tax!.amount} of ${amount}`).toBeGreaterThan(-whole)
  expect(beyond, `${tax!.amount} of ${amount}`).toBeLessThanOrEqual(whole)
  expect(Math.sign(tax!.amount) * Math.sign(amount)).toBeGreaterThanOrEqual(0)
}

type Sums = Pick<Stripe.Invoice, 'subtotal' | 'total' | 'total_excluding_tax' | 'total_taxes'>

/** What the provider's contract says of the sums of an invoice or a credit note. */
function expectSums(
  { subtotal, total, total_excluding_tax: net, total_taxes }: Sums,
  lines: { amount: number; taxes: { amount: number; tax_behavior: string }[] | null }[],
) {
  const taxes = lines.flatMap((line) => line.taxes ?? [])
  const added = taxes.filter(({ tax_behavior }) => tax_behavior === 'exclusive')
  expect(subtotal).toBe(sum(lines.map(({ amount }) => amount)))
  expect(total).toBe(subtotal + sum(added.map(({ amount }) => amount)))
  expect(taxOf({ total_taxes })).toBe(sum(taxes.map(({ amount }) => amount)))
  expect(net).toBe(total - taxOf({ total_taxes }))
}

async function books(person: TestSession) {
  const accountId = await accountOf(server, person)
  const { rows } = await server.db.pool.query(
    `select (select id from billing_customers where account_id = $1) as customer, coalesce(sum(cents), 0)::int as cents,
       coalesce(sum(cents) filter (where source = 'tax'), 0)::int as tax from money_ledger where account_id = $1`,
    [accountId],
  )
  return rows[0] as { customer: string; cents: number; tax: number }
}

const paidOf = async (customer: string) => (await client.invoices.list({ customer, status: 'paid', limit: 100 })).data
const notesOf = async (customer: string) => (await client.creditNotes.list({ customer, limit: 100 })).data

/** The ledger's money is the provider's to the cent, and so is the tax in it; both follow the rules. */
async function expectEqualBooks(person: TestSession, hundredths: number) {
  const { customer, ...booked } = await books(person)
  const charges = (await client.charges.list({ customer, limit: 100 })).data.filter(({ paid }) => paid)
  const [invoices, notes] = [await paidOf(customer), await notesOf(customer)]
  expect(booked).toEqual({
    cents: sum(charges.map(({ amount, amount_refunded }) => amount - amount_refunded)),
    tax: sum(invoices.map(taxOf)) - sum(notes.map(taxOf)),
  })
  for (const { lines, ...invoice } of invoices) {
    expectSums(invoice, lines.data)
    for (const line of lines.data) expectLineTax(line, hundredths)
    expect([invoice.amount_paid, invoice.amount_remaining]).toEqual([Math.max(0, invoice.amount_due), 0])
  }
  for (const { lines, ...note } of notes) expectSums(note, lines.data)
}

/** Each month's tax totals are the ledger's to the cent; all months together, each country's and reason's are the invoices'. */
async function expectTaxTotals() {
  const { rows: months } = await server.db.pool.query<{
    month: string
    collected: number
    returned: number
    net: number
  }>(
    `select to_char(at at time zone 'UTC', 'YYYY-MM') as month,
       coalesce(sum(cents) filter (where source = 'tax' and cause = 'payment'), 0)::int as collected,
       coalesce(-sum(cents) filter (where source = 'tax' and cause <> 'payment'), 0)::int as returned,
       coalesce(sum(cents) filter (where source <> 'tax'), 0)::int as net
     from money_ledger group by 1`,
  )
  await passTime(server, 2)
  await foldTaxes(server.db)
  const booked = new Map<string, number>()
  for (const month of months) {
    const { rows } = await readTaxes(server.db.kysely, month.month)
    const total = (pick: (row: (typeof rows)[number]) => number) => sum(rows.map(pick))
    expect({
      month: month.month,
      collected: total((row) => row.collected),
      returned: total((row) => row.returned),
      net: total((row) => row.net - row.net_returned),
    }).toEqual(month)
    for (const { country, reason, collected } of rows) {
      const key = `${country} ${reason}`
      booked.set(key, (booked.get(key) ?? 0) + collected)
    }
  }
  const sold = new Map<string, number>()
  for await (const invoice of client.invoices.list({ status: 'paid', limit: 100 }))
    for (const tax of invoice.total_taxes ?? []) {
      const { country } = await client.taxRates.retrieve(tax.tax_rate_details!.tax_rate)
      const key = `${country} ${tax.taxability_reason}`
      sold.set(key, (sold.get(key) ?? 0) + tax.amount)
    }
  expect([...booked].sort()).toEqual([...sold].sort())
}

/** Refunds a paid invoice in parts until nothing is left: here, or at the provider, in turn. */
async function refundAll(person: TestSession, invoice: Stripe.Invoice, shares: number[], hundredths: number) {
  const { customer } = await books(person)
  const { rows } = await server.db.pool.query('select payment_intent_id as intent from invoices where id = $1', [
    invoice.id,
  ])
  const here = (cents?: number) =>
    refundInvoice(server.deps, { actId: crypto.randomUUID(), invoiceId: invoice.id!, cents, operator: 'test' })
  const there = (amount?: number) => client.refunds.create({ payment_intent: rows[0].intent, amount: amount! })
  let left = invoice.amount_paid
  for (const [at, share] of [...shares, 1].entries()) {
    const cents = Math.ceil(left * share)
    if (cents === 0) continue
    await expect(here(left + 1)).rejects.toThrow('are left to refund')
    await expect(there(left + 1)).rejects.toMatchObject({ statusCode: 400 })
    await (at % 2 === 0 ? here(cents) : there(cents))
    await settleBilling(server)
    left -= cents
    await expectEqualBooks(person, hundredths)
    const notes = (await notesOf(customer)).filter((note) => note.invoice === invoice.id)
    expect(sum(notes.map(({ total }) => total))).toBe(invoice.amount_paid - left)
    // Each part has its share of the tax, give or take the rounding of its lines.
    const shareOfTax = (taxOf(invoice) * (invoice.amount_paid - left)) / invoice.total
    expect(Math.abs(sum(notes.map(taxOf)) - shareOfTax)).toBeLessThanOrEqual(notes.length + invoice.lines.data.length)
    if (left > 0 || invoice.amount_paid < invoice.total) continue
    expect(sum(notes.map(taxOf))).toBe(taxOf(invoice))
    expect(sum(notes.map((note) => note.total_excluding_tax!))).toBe(invoice.total_excluding_tax)
  }
  await expect(here()).rejects.toThrow('went back already')
}

let made = 0
/** A plan on sale, bought on the payment page. */
async function subscribe(person: TestSession, cents: number, behavior: 'exclusive' | 'inclusive', buyer: object) {
  const name = `Plan ${++made}`
  const price = {
    currency: 'usd',
    unit_amount: cents,
    tax_behavior: behavior,
    recurring: { interval: 'month' },
  } as const
  const product = await client.products.create({ name, metadata: { credits: '5000' }, default_price_data: price })
  await settleBilling(server)
  await buyPlan(server, person, (await plansByName(person))[name], { buyer: buyer as Record<string, string> })
  await client.products.update(product.id, { active: false })
  return product.id
}

/** An invoice that an operator makes at the provider, paid with the saved card. */
async function bill(person: TestSession, lines: number[], terms: Stripe.InvoiceCreateParams, item: object = {}) {
  await saveCard(server, person, 'pm_card_visa')
  const { customer } = await books(person)
  const { id } = await client.invoices.create({ customer, currency: 'usd', ...terms })
  for (const amount of lines)
    await client.invoiceItems.create({ customer, invoice: id!, amount, description: 'Line', ...item })
  await client.invoices.finalizeInvoice(id!)
  await client.invoices.pay(id!)
  await settleBilling(server)
}

const cents = fc.integer({ min: 50, max: 30_000 })
const shares = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 2 })
const sale = fc.record({
  place: fc.constantFrom(...(Object.keys(buyers) as (keyof typeof buyers)[])),
  behavior: fc.constantFrom('exclusive' as const, 'inclusive' as const),
  first: cents,
  second: cents,
  /** When in the month the plan changes, and whether that is paid at once or with the next month. */
  elapsed: fc.double({ min: 0, max: 0.95, noNaN: true }),
  atOnce: fc.boolean(),
  packs: fc.integer({ min: 1, max: 9 }),
  lines: fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 4 }),
  shares,
})

test('whatever is sold, changed and refunded, the ledger is the provider to the cent, and its tax is by the rules', async () => {
  const hasTime = timeForRuns(450_000)
  await fc.assert(
    fc.asyncProperty(sale, async ({ place, behavior, first, second, elapsed, atOnce, packs, lines, ...one }) => {
      if (!hasTime()) return
      const [hundredths, buyer] = buyers[place]
      const person = await startSession(server)
      const product = await subscribe(person, first, behavior, buyer)
      await buyCredits(server, person, packs, { buyer })
      await bill(person, lines, { automatic_tax: { enabled: true } }, { tax_behavior: behavior })
      const { customer } = await books(person)
      await expectEqualBooks(person, hundredths)

      const [subscription] = (await client.subscriptions.list({ customer })).data
      const item = subscription!.items.data[0]!
      const length = item.current_period_end - item.current_period_start
      await passTime(server, Math.floor(length * elapsed))
      const recurring = { interval: 'month' } as const
      const price = await client.prices.create({
        product,
        currency: 'usd',
        unit_amount: second,
        tax_behavior: behavior,
        recurring,
      })
      await client.subscriptions.update(subscription!.id, {
        items: [{ id: item.id, price: price.id }],
        proration_behavior: atOnce ? 'always_invoice' : 'create_prorations',
      })
      await settleBilling(server)
      if (!atOnce) await passTime(server, Math.ceil(length * (1 - elapsed)) + 2 * 3_600)
      await expectEqualBooks(person, hundredths)
      await client.subscriptions.cancel(subscription!.id, { prorate: false })
      for (const paid of await paidOf(customer))
        if (paid.amount_paid > 0) await refundAll(person, paid, one.shares, hundredths)
      const end = await books(person)
      expect(end.cents).toBe(0)
    }),
    { numRuns: process.env.NIGHTLY ? 40 : 2 },
  )
  await expectTaxTotals()
}, 600_000)

// https://support.stripe.com/questions/rounding-rules-for-stripe-fees and
// https://support.stripe.com/questions/inclusive-and-exclusive-tax-options-in-the-tax-rate-api-and-stripe-tax
test.each([
  { rate: { percentage: 15, inclusive: false }, lines: [43, 484], tax: 79, total: 606 },
  { rate: { percentage: 10, inclusive: false }, lines: [60_000], tax: 6_000, total: 66_000 },
  { rate: { percentage: 10, inclusive: true }, lines: [60_000], tax: 5_455, total: 60_000 },
])("Stripe's own example: $lines at $rate is $total", async ({ rate, lines, tax, total }) => {
  const person = await startSession(server)
  await buyCredits(server, person, 1, { buyer: berlin })
  const { customer } = await books(person)
  const { id } = await client.taxRates.create({ display_name: 'VAT', ...rate })
  await bill(person, lines, { default_tax_rates: [id] })
  expect(await books(person)).toEqual({ customer, cents: 238 + total, tax: 38 + tax })
})
