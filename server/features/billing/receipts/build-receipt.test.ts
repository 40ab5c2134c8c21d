import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf } from '#sandbox/stripe/pages/testing/pdf-text.ts'
import type { LineFacts, TaxLine } from '../stripe/fetch-invoice.ts'
import { buildReceipt, type Payment } from './build-receipt.ts'
import { drawReceipt } from './draw-receipt.ts'
import { isDrawable } from './receipt.ts'
import { receiptPage } from './receipt-page.ts'

const day = (text: string) => new Date(`${text}T12:00:00Z`)
const line = (given: Partial<LineFacts> = {}): LineFacts => ({
  id: 'il_1',
  priceId: 'price_pro',
  description: '1 × Pro (at €19.00 / month)',
  cents: 1_900,
  quantity: 1,
  proration: false,
  start: day('2026-11-01'),
  end: day('2026-12-01'),
  ...given,
})
const vat = (cents: number, given: Partial<TaxLine> = {}): TaxLine => ({
  label: 'VAT',
  percent: 19,
  cents,
  included: false,
  reason: 'standard_rated',
  country: 'DE',
  state: null,
  netCents: 1_900,
  ...given,
})

/** A plan for a month, from Hamburg to Berlin. */
function payment({
  returned = [],
  bought,
  shop,
  ...given
}: Partial<Payment['invoice']> & Partial<Payment> = {}): Payment {
  const taxes = given.taxes === undefined ? [vat(361)] : given.taxes
  const lines = given.lines ?? [line()]
  const taxCents = (taxes ?? []).reduce((sum, { cents }) => sum + cents, 0)
  const totalCents = given.totalCents ?? lines.reduce((sum, { cents }) => sum + cents, taxCents)
  return {
    invoice: {
      id: 'in_1',
      customerId: 'cus_1',
      number: 'NW-0007',
      status: 'paid',
      currency: 'eur',
      autoAdvance: false,
      paidCents: totalCents,
      creditedCents: 0,
      createdAt: day('2026-11-01'),
      paidAt: day('2026-11-02'),
      live: true,
      sellerName: 'Northwind',
      buyer: {
        name: 'Bär GmbH',
        email: 'books@baer.example',
        address: {
          country: 'DE',
          line1: 'Torstr. 1',
          line2: null,
          city: 'Berlin',
          postalCode: '10119',
          state: null,
        },
        taxIds: ['DE123456789'],
      },
      subscriptionId: 'sub_1',
      opening: true,
      paymentIntentId: 'pi_1',
      hostedUrl: null,
      topupId: null,
      minimumCents: 0,
      addedTaxCents: taxCents,
      ...given,
      taxCents,
      totalCents,
      taxes,
      lines,
    },
    returned,
    bought: bought ?? new Map([['il_1', { credits: 100_000, monthly: false }]]),
    shop: shop ?? {
      name: 'Northwind Weather',
      support: 'help@northwind.example',
      timeZone: null,
      seller: {
        name: 'Northwind Weather GmbH',
        address: ['Hafenstr. 1', '20095 Hamburg', 'Germany'],
        taxId: 'DE987654321',
      },
    },
  }
}

/** The text of the PDF; with PICTURES it is also kept to be looked at. */
async function drawn(name: string, given: Payment): Promise<string[]> {
  const pdf = await drawReceipt(buildReceipt(given))
  if (process.env.PICTURES) await writeFile(`${process.env.PICTURES}/receipt-${name}.pdf`, pdf)
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
  return textOf(pdf).split('\n')
}
const sums = (given: Payment) => buildReceipt(given).totals.map(({ text, amount }) => `${text}: ${amount}`)

test('says who sold what to whom, its credits, and each tax; the number is the one of the invoice', async () => {
  const text = await drawn('vat', payment())
  expect(text).toEqual([
    'Payment receipt',
    'Invoice',
    'NW-0007',
    'Invoice date',
    'Nov 1, 2026',
    'Paid on',
    'Nov 2, 2026',
    'From',
    'Northwind Weather GmbH',
    'Hafenstr. 1',
    '20095 Hamburg',
    'Germany',
    'Tax ID DE987654321',
    'Billed to',
    'Bär GmbH',
    'Torstr. 1',
    '10119 Berlin',
    'Germany',
    'books@baer.example',
    'Tax ID DE123456789',
    'Description',
    'Amount',
    '1 × Pro (at €19.00 / month)',
    'Nov 1, 2026 – Dec 1, 2026 · 100,000 credits',
    '€19.00',
    'Total without tax',
    '€19.00',
    'VAT (19%)',
    '€3.61',
    'Total',
    '€22.61',
    'Paid',
    '€22.61',
    'This is a receipt. The invoice is NW-0007, which you can download under Billing, Invoices.',
    'Questions: help@northwind.example',
  ])
})

describe('what it says', () => {
  test('reverse charge, also where another line is taxed', async () => {
    const none = payment({ taxes: [vat(0, { reason: 'reverse_charge', percent: 0 })] })
    expect(sums(none)).toEqual(['Total without tax: €19.00', 'Total: €19.00', 'Paid: €19.00'])
    const said = 'Reverse charge: the customer accounts for the tax.'
    expect(await drawn('reverse-charge', none)).toContain(said)
    const mixed = payment({ taxes: [vat(0, { reason: 'reverse_charge' }), vat(100)] })
    expect(buildReceipt(mixed).notes[0]).toBe(said)
    expect(buildReceipt(payment()).notes[0]).toMatch(/^This is a receipt/)
  })

  test.each([
    ['not_collecting', 'No tax is collected in this country.'],
    ['product_exempt', 'Exempt from tax.'],
    ['no_location', 'No tax was computed: the billing address was missing.'],
  ])('%s', (reason, said) => {
    expect(buildReceipt(payment({ taxes: [vat(0, { reason })] })).notes[0]).toBe(said)
  })

  test('nothing of taxes where none was to be computed', () => {
    expect(sums(payment({ taxes: null }))).toEqual(['Total: €19.00', 'Paid: €19.00'])
  })

  test('yen, without decimals', async () => {
    const yen = payment({ currency: 'jpy', taxes: null, lines: [line({ cents: 2_900, description: '1 × Pro' })] })
    expect(await drawn('yen', yen)).toEqual(expect.arrayContaining(['¥2,900']))
  })

  test('the code of a currency whose sign a PDF lacks', async () => {
    const lines = [line({ cents: 150_000, description: '1 × Pro (at ₹1,500.00 / month)' })]
    const text = await drawn('rupees', payment({ currency: 'inr', taxes: null, lines }))
    expect(text).toEqual(expect.arrayContaining(['1 × Pro (at INR\u00a01,500.00 / month)', 'INR\u00a01,500.00']))
  })

  test('what went back, with its credit note and its tax, and what is left', async () => {
    const returned = [
      { at: day('2026-11-05'), cents: 595, taxCents: 95, note: 'NW-0007-CN-01' },
      { at: day('2026-11-06'), cents: 100, taxCents: 0, note: null },
    ]
    const given = payment({ returned })
    expect(sums(given).slice(-4)).toEqual([
      'Paid: €22.61',
      'Credit note NW-0007-CN-01, Nov 5, 2026, with €0.95 tax: -€5.95',
      'Refund, Nov 6, 2026: -€1.00',
      'Paid after refunds: €15.66',
    ])
    await drawn('refunded', given)
  })

  test('a discount, what a balance paid, and what was credited before', () => {
    expect(sums(payment({ taxes: null, totalCents: 1_500, paidCents: 1_000 }))).toEqual([
      'Discounts and adjustments: -€4.00',
      'Total: €15.00',
      'Paid from the balance: €5.00',
      'Paid: €10.00',
    ])
    const credited = { taxes: null, totalCents: 1_900, creditedCents: 700, paidCents: 1_100 }
    expect(sums(payment(credited)).slice(1)).toEqual([
      'Credited before payment: -€7.00',
      'Paid from the balance: €1.00',
      'Paid: €11.00',
    ])
  })

  test('a paid year has its credits each month, and a test says that it is one', async () => {
    const year = payment({ live: false, bought: new Map([['il_1', { credits: 100_000, monthly: true }]]) })
    const text = await drawn('year-test', year)
    expect(text).toContain('Nov 1, 2026 – Dec 1, 2026 · 100,000 credits each month')
    expect(text).toContain('TEST, no payment was made')
  })

  test("the payment provider's name of the seller while the shop has no details, and days in the shop's zone", () => {
    const given = payment()
    const late = { ...given.invoice, paidAt: new Date('2026-11-02T23:30:00Z') }
    const shop = { ...given.shop, seller: null, timeZone: 'Europe/Berlin' }
    const receipt = buildReceipt({ ...given, invoice: late, shop })
    expect(receipt.seller).toEqual({ name: 'Northwind', lines: [] })
    expect(receipt.facts).toContainEqual({ label: 'Paid on', value: 'Nov 3, 2026' })
  })
})

test('the longest names and addresses stay on one page, and in their columns', async () => {
  const given = payment({
    buyer: {
      name: 'Gesellschaft für außerordentlich lange Firmennamen und Söhne '.repeat(3).slice(0, 150),
      email: 'a-very-long-mailbox-of-the-accounting-department@long-company.example',
      address: {
        country: 'DE',
        line1: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'.repeat(3),
        line2: 'x'.repeat(200),
        city: 'y'.repeat(100),
        postalCode: '1'.repeat(20),
        state: 'z'.repeat(100),
      },
      taxIds: Array.from({ length: 5 }, (_, at) => `DE12345678${at}`),
    },
    shop: {
      ...payment().shop,
      seller: { name: 'S'.repeat(100), address: Array(6).fill('A'.repeat(100)), taxId: 'T'.repeat(60) },
    },
  })
  await drawn('long', given)
})

test('many lines go on over several pages, and none is lost', async () => {
  const lines = Array.from({ length: 90 }, (_, at) => line({ id: `il_${at}`, description: `Line ${at}`, cents: 1 }))
  const pdf = await drawReceipt(buildReceipt(payment({ lines, taxes: null })))
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)!.length).toBeGreaterThan(2)
  for (const { description } of lines) expect(textOf(pdf).split('\n')).toContain(description)
})

test.each([
  ['Zoë Ægir & Œuvre', true],
  ['Zoe\u0308 decomposed', true],
  ['Łukasz Żółć', false],
  ['Ελλάς ΑΕ', false],
  ['株式会社サンプル', false],
  ['شركة', false],
  ['Rocket 🚀', false],
])('%s: a PDF can show it: %s. Otherwise a page does, letter by letter', (name, drawable) => {
  const receipt = buildReceipt(payment({ buyer: { ...payment().invoice.buyer, name } }))
  expect(isDrawable(receipt)).toBe(drawable)
  expect(receiptPage(receipt)).toContain(name.normalize('NFC').replace('&', '&amp;'))
})

test('control characters, characters that reorder text, and markup do nothing', () => {
  const name = '\u202eEvil\u0007\n\t<b>Corp</b>\u200b'
  const receipt = buildReceipt(payment({ buyer: { ...payment().invoice.buyer, name } }))
  expect(receipt.buyer.name).toBe('Evil <b>Corp</b>')
  expect(receiptPage(receipt)).toContain('Evil &lt;b&gt;Corp&lt;/b&gt;')
})

test('lines and taxes add up to the total, and what is left to what was paid, for any amounts', () => {
  const cents = fc.integer({ min: -1_000_000, max: 10_000_000 })
  const lines = fc
    .array(cents, { minLength: 1, maxLength: 6 })
    .map((all) => all.map((one, at) => line({ id: `${at}`, cents: one })))
  const taxes = fc.array(
    fc
      .record({ cents: fc.integer({ min: 0, max: 1_000_000 }), included: fc.boolean() })
      .map((one) => vat(one.cents, one)),
    { maxLength: 4 },
  )
  const back = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 3 })
  const amount = (text: string) => Number(text.replaceAll(/[€,.]/g, ''))
  fc.assert(
    fc.property(lines, taxes, cents, back, (given, tax, discount, returns) => {
      const sum = [...given, ...tax].reduce((total, one) => total + one.cents, 0)
      const returned = returns.map((one) => ({ at: day('2026-11-05'), cents: one, taxCents: 0, note: null }))
      const receipt = buildReceipt(payment({ lines: given, taxes: tax, totalCents: sum + discount, returned }))
      const totals = receipt.totals.map((one) => ({ ...one, cents: amount(one.amount) }))
      const of = (text: string) => totals.find((one) => one.text === text)?.cents ?? 0
      const shown =
        receipt.lines.reduce((total, one) => total + amount(one.amount), 0) + of('Discounts and adjustments')
      const taxed = totals.filter(({ text }) => text.startsWith('VAT')).reduce((total, one) => total + one.cents, 0)
      expect(of('Total without tax')).toBe(shown)
      expect(of('Total')).toBe(shown + taxed)
      expect(of('Total')).toBe(sum + discount)
      const left = returns.reduce((total, one) => total - one, of('Paid'))
      expect(totals.at(-1)!.cents).toBe(left)
    }),
  )
})
