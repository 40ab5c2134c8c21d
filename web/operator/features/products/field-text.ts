import { formatMoney } from '#contract/currency.ts'
import { count, money } from '../../lib/format.ts'
import type { Fields, PlanFields } from './product-data.ts'

/** Twelve months minus 20 percent, in cents, as the product sells years. */
export const yearCents = (monthCents: number): number => Math.round(monthCents * 9.6)

/** `$0.025 per 100 requests`. */
export const unitText = (unitCents: string, currency: string): string =>
  `${formatMoney(Number(unitCents) * 100, currency)} per 100 requests`

/** A price with its interval: `$19.00 monthly`. */
export function priceText(
  price: { price_cents: number; unit_cents: string | null; interval: 'month' | 'year' | null },
  currency: string,
): string {
  if (price.unit_cents !== null) return unitText(price.unit_cents, currency)
  const amount = money(price.price_cents, currency)
  return price.interval === null ? amount : `${amount} ${price.interval === 'year' ? 'yearly' : 'monthly'}`
}

const taxTexts = { exclusive: 'Added to the price', inclusive: 'Included in the price' }

/** The fields of a product in words, in the order of the form. */
export function fieldTexts(fields: Fields): { label: string; text: string }[] {
  const { name, description, currency } = fields
  const about = [
    { label: 'Name', text: name },
    { label: 'Description', text: description },
  ]
  const lines = 'features' in fields ? [{ label: 'Features', text: fields.features.join('\n') }] : []
  const rate =
    'rate_limit_per_minute' in fields
      ? [{ label: 'Requests per minute', text: count(fields.rate_limit_per_minute) }]
      : []
  const tax = [
    ...(fields.tax_behavior ? [{ label: 'Tax', text: taxTexts[fields.tax_behavior] }] : []),
    ...(fields.tax_code ? [{ label: 'Tax code', text: fields.tax_code }] : []),
  ]
  if (fields.kind === 'payg')
    return [
      ...about,
      { label: 'Price', text: unitText(fields.unit_cents, currency) },
      ...others(fields),
      ...tax,
      ...rate,
      ...lines,
    ]
  if (fields.kind === 'pack')
    return [
      ...about,
      { label: 'Price', text: money(fields.price_cents, currency) },
      ...others(fields),
      ...tax,
      { label: 'Credits', text: count(fields.credits) },
    ]
  return [...about, ...planTexts(fields), ...tax, ...rate, ...lines]
}

/** Not named where there are none, as most products have none. */
const others = (fields: Fields) => {
  const texts =
    fields.kind === 'payg'
      ? Object.entries(fields.other_prices ?? {}).map(
          ([currency, { unit_cents, minimum_cents }]) =>
            `${unitText(unit_cents, currency)}, at least ${money(minimum_cents, currency)} per month`,
        )
      : Object.entries(fields.other_prices ?? {}).map(([currency, cents]) => money(cents, currency))
  return texts.length === 0 ? [] : [{ label: 'In other currencies', text: texts.join('\n') }]
}

const planTexts = (fields: PlanFields) => [
  { label: 'Price', text: priceText({ ...fields, unit_cents: null }, fields.currency) },
  ...others(fields),
  { label: 'Yearly price', text: fields.yearly ? money(yearCents(fields.price_cents), fields.currency) : 'None' },
  { label: 'Credits per month', text: fields.unlimited ? 'Unlimited' : count(fields.credits) },
  { label: 'Free trial', text: fields.trial_days > 0 ? `${fields.trial_days} days` : 'None' },
]

export interface Difference {
  label: string
  /** null: there was nothing before. */
  before: string | null
  after: string
}

/** What changes from one version to another, in words. */
export function differences(before: Fields | null, after: Fields): Difference[] {
  const old = new Map(before ? fieldTexts(before).map(({ label, text }) => [label, text]) : [])
  const now = fieldTexts(after)
  const gone = [...old.keys()].filter((label) => now.every((one) => one.label !== label))
  return [...now, ...gone.map((label) => ({ label, text: 'None' }))]
    .filter(({ label, text }) => old.get(label) !== text)
    .map(({ label, text }) => ({ label, before: old.get(label) ?? null, after: text }))
}
