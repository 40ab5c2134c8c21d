import { expect, test } from 'vitest'
import { effectsOf } from './effects.ts'
import { differences } from './field-text.ts'
import type { Fields, PlanFields, Product } from './product-data.ts'
import { type Form, formOf, readForm } from './product-form.ts'

const plan: PlanFields = {
  kind: 'plan',
  name: 'Pro',
  description: 'For products.',
  currency: 'usd',
  features: ['One', 'Two'],
  price_cents: 1900,
  interval: 'month',
  yearly: true,
  credits: 100_000,
  unlimited: false,
  rate_limit_per_minute: 1200,
  trial_days: 14,
}
const payg: Fields = {
  kind: 'payg',
  name: 'Pay-as-you-go',
  description: 'For some.',
  currency: 'usd',
  features: [],
  unit_cents: '0.01',
  rate_limit_per_minute: 3000,
}
const pack: Fields = {
  kind: 'pack',
  name: 'Pack',
  description: 'More.',
  currency: 'usd',
  price_cents: 200,
  credits: 10_000,
}

test.each([plan, payg, pack, { ...payg, unit_cents: '0.0000001' }])('$kind stays what it is in its form', (fields) => {
  expect(readForm(formOf(fields), fields.kind, 'usd', false).fields).toEqual(fields)
})

const read = (change: Partial<Form>, fields: Fields = plan, free = false) =>
  readForm({ ...formOf(fields), ...change }, fields.kind, 'usd', free)

test.each([
  ['29', 2900],
  ['29.5', 2950],
  ['1,900.05', 190_005],
  [' 0.50 ', 50],
])('%s is %i cents', (price, cents) => expect(read({ price }).fields).toMatchObject({ price_cents: cents }))

test.each([
  [{ price: '0.49' }, { price: 'Enter an amount from 0.50 to 999,999.99, such as 19.00.' }],
  [{ price: '1.999' }, { price: 'Enter an amount from 0.50 to 999,999.99, such as 19.00.' }],
  [{ price: '-1' }, { price: 'Enter an amount from 0.50 to 999,999.99, such as 19.00.' }],
  [{ name: ' ' }, { name: 'Enter 1 to 60 characters.' }],
  [{ credits: '1e3' }, { credits: 'Enter a whole number from 1 to 999,999,999.' }],
  [{ trial: '731' }, { trial: 'Enter a whole number from 0 to 730.' }],
  [{ features: 'x\n'.repeat(16) }, { features: 'At most 15 lines of 80 characters.' }],
])('%o is wrong', (change, problems) => expect(read(change)).toEqual({ fields: null, problems }))

test('a yearly plan has no second yearly price, a free one neither price nor trial', () => {
  expect(read({ interval: 'year' }).fields).toMatchObject({ interval: 'year', yearly: false })
  const free: Fields = { ...plan, price_cents: 0, yearly: false, trial_days: 0 }
  expect(read({ price: '5', trial: '9' }, free, true).fields).toEqual(free)
  expect(read({ price: '0' }, payg).problems).toEqual({ price: 'Enter an amount above 0, such as 1.00.' })
})

test('the difference names what changes, in words', () => {
  expect(differences(plan, { ...plan, price_cents: 2900, unlimited: true, trial_days: 0 })).toEqual([
    { label: 'Price', before: '$19.00 monthly', after: '$29.00 monthly' },
    { label: 'Yearly price', before: '$182.40', after: '$278.40' },
    { label: 'Credits per month', before: '100,000', after: 'Unlimited' },
    { label: 'Free trial', before: '14 days', after: 'None' },
  ])
  expect(differences(payg, { ...payg, unit_cents: '0.025' })).toEqual([
    { label: 'Price', before: '$0.01 per 100 requests', after: '$0.025 per 100 requests' },
  ])
  expect(differences(plan, plan)).toEqual([])
  expect(differences(null, pack)[0]).toEqual({ label: 'Name', before: null, after: 'Pack' })
})

const price = (price_cents: number, interval: 'month' | 'year', subscribers: number, on_sale = true) => ({
  id: `price_${price_cents}`,
  on_sale,
  price_cents,
  unit_cents: null,
  interval,
  credits: 100_000,
  unlimited: false,
  subscribers,
  trials: 0,
  mrr: {},
})
const product = {
  id: 'prod_pro',
  kind: 'plan',
  name: 'Pro',
  currency: 'usd',
  state: 'on_sale',
  free: false,
  draft: true,
  job: null,
  prices: [price(1900, 'month', 12), price(18_240, 'year', 3), price(900, 'month', 40, false)],
  subscribers: 55,
} satisfies Product

test('what publishing does is said in numbers', () => {
  const of = (after: Fields, live: Fields | null = plan) => effectsOf({ product, live }, after)
  expect(of({ ...plan, price_cents: 2900 })).toEqual([
    'New customers pay $29.00 a month, or $278.40 a year.',
    '15 customers stay on the old price and keep what it grants.',
  ])
  expect(of({ ...plan, credits: 150_000 })).toEqual([
    '15 customers on the current price get 150,000 credits per month and 1,200 requests per minute from the next billing period.',
  ])
  expect(of({ ...plan, yearly: false })).toEqual([
    'New customers pay $19.00 a month.',
    '3 customers stay on the old price and keep what it grants.',
  ])
  expect(of({ ...plan, name: 'Professional' })).toEqual(['Prices do not change.'])
  expect(of(plan, null)).toEqual(['This plan goes on sale on the pricing page.'])
})

test('prices in other currencies are read by the decimals of each, and said', () => {
  const read = (others: string, kind: Fields['kind'], from: Fields = plan) =>
    readForm({ ...formOf(from), others }, kind, 'usd', false)
  const sold = read('jpy 2900, EUR 17.00', 'plan').fields
  expect(sold).toMatchObject({ other_prices: { eur: 1700, jpy: 2900 } })
  expect(formOf(sold!).others).toBe('EUR 17.00, JPY 2900')
  for (const wrong of ['EUR', 'EUR 17.00, EUR 18', 'JPY 29.5', 'USD 19', 'KWD 1.234', 'EUR 0', '17 EUR'])
    expect(read(wrong, 'plan').problems).toEqual({ others: 'Enter prices such as EUR 17.00, JPY 2900.' })
  expect(effectsOf({ product, live: plan }, sold!)).toEqual([
    'New customers pay $19.00 a month, or $182.40 a year, or the price in EUR or JPY.',
    '15 customers stay on the old price and keep what it grants.',
  ])
  expect(differences(plan, sold!)).toEqual([{ label: 'In other currencies', before: null, after: '€17.00\n¥2,900' }])
  expect(differences(sold!, plan)).toEqual([{ label: 'In other currencies', before: '€17.00\n¥2,900', after: 'None' }])
})

test('pay-as-you-go in other currencies: of 100 requests, with the least of a month', () => {
  const payg: Fields = {
    kind: 'payg',
    name: 'P',
    description: 'p',
    currency: 'usd',
    features: [],
    unit_cents: '0.01',
    rate_limit_per_minute: 1,
  }
  const { fields } = readForm({ ...formOf(payg), others: 'EUR 0.01 from 1.00, JPY 2 from 150' }, 'payg', 'usd', false)
  expect(fields).toMatchObject({
    other_prices: {
      eur: { unit_cents: '0.01', minimum_cents: 100 },
      jpy: { unit_cents: '0.02', minimum_cents: 150 },
    },
  })
  expect(formOf(fields!).others).toBe('EUR 0.01 from 1.00, JPY 2 from 150')
  expect(readForm({ ...formOf(payg), others: 'EUR 0.01' }, 'payg', 'usd', false).problems).toHaveProperty('others')
})
