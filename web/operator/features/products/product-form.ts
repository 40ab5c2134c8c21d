import { exponentOf, stepOf } from '#contract/currency.ts'
import { readMoney, typedMoney } from '#contract/typed-money.ts'
import type { Fields } from './product-data.ts'

/** What the form holds: text as typed. */
export interface Form {
  name: string
  description: string
  /** A card line each. */
  features: string
  /** In dollars, or the currency's unit; pay-as-you-go: of 100 requests. */
  price: string
  /** In other currencies: `EUR 17.00, JPY 2900`; pay-as-you-go, with the least of a month: `EUR 0.01 from 1.00`. */
  others: string
  interval: 'month' | 'year'
  yearly: boolean
  credits: string
  unlimited: boolean
  rate: string
  trial: string
  /** '': not said. */
  tax: '' | 'exclusive' | 'inclusive'
  taxCode: string
}
export type Problems = Partial<Record<keyof Form, string>>

export const formOf = (fields: Fields): Form => ({
  name: fields.name,
  description: fields.description,
  features: 'features' in fields ? fields.features.join('\n') : '',
  price:
    fields.kind === 'payg'
      ? per100(fields.unit_cents, fields.currency)
      : typedMoney(fields.price_cents, fields.currency),
  others: othersText(fields),
  interval: fields.kind === 'plan' ? fields.interval : 'month',
  yearly: fields.kind === 'plan' && fields.yearly,
  credits: fields.kind === 'payg' ? '' : String(fields.credits),
  unlimited: fields.kind === 'plan' && fields.unlimited,
  rate: 'rate_limit_per_minute' in fields ? String(fields.rate_limit_per_minute) : '',
  trial: fields.kind === 'plan' ? String(fields.trial_days) : '',
  tax: fields.tax_behavior ?? '',
  taxCode: fields.tax_code ?? '',
})

/** Minor units of a request as units of 100 requests, and back: the same digits with the point elsewhere. */
const per100 = (unitCents: string, currency: string): string => shift(unitCents, 2 - exponentOf(currency))
const perRequest = (typed: string, currency: string): string => shift(typed, exponentOf(currency) - 2)

function shift(decimal: string, places: number): string {
  const [whole = '0', part = ''] = decimal.split('.')
  const digits = (whole + part)
    .padStart(whole.length + part.length + 3, '0')
    .padEnd(whole.length + part.length + 6, '0')
  const point = whole.length + 3 + places
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/^0+(?=\d)/, '').replace(/\.?0+$/, '')
}

const othersText = (fields: Fields): string =>
  (fields.kind === 'payg'
    ? Object.entries(fields.other_prices ?? {}).map(
        ([currency, { unit_cents, minimum_cents }]) =>
          `${currency.toUpperCase()} ${per100(unit_cents, currency)} from ${typedMoney(minimum_cents, currency)}`,
      )
    : Object.entries(fields.other_prices ?? {}).map(
        ([currency, cents]) => `${currency.toUpperCase()} ${typedMoney(cents, currency)}`,
      )
  ).join(', ')

/** Prices in other currencies as typed, by currency in alphabetical order; null if one cannot be read. */
function readOthers<T>(text: string, read: (amount: string, currency: string) => T | null): Record<string, T> | null {
  const prices = new Map<string, T>()
  for (const one of text.split(/[,;\n]/).filter((part) => part.trim())) {
    const [, code = '', amount = ''] = /^\s*([a-z]{3})\s+(\S.*?)\s*$/i.exec(one) ?? []
    const currency = code.toLowerCase()
    const found = currency === '' || prices.has(currency) ? null : read(amount, currency)
    if (found === null) return null
    prices.set(currency, found)
  }
  return Object.fromEntries([...prices].sort(([a], [b]) => a.localeCompare(b)))
}

const readPaid = (amount: string, currency: string): number | null => {
  const cents = readMoney(amount, currency)
  return cents && cents <= 99_999_999 && cents % stepOf(currency) === 0 ? cents : null
}

function readPer100(amount: string, currency: string): { unit_cents: string; minimum_cents: number } | null {
  const [, price = '', least = ''] = /^([\d.]+) from ([\d.]+)$/i.exec(amount) ?? []
  const minimum_cents = readPaid(least, currency)
  return UNIT.test(price) && Number(price) > 0 && minimum_cents
    ? { unit_cents: perRequest(price, currency), minimum_cents }
    : null
}

const UNIT = /^(0|[1-9]\d{0,5})(\.\d{1,9})?$/

/** What was typed as fields, or what is wrong with it. `free`: a plan that costs nothing. */
export function readForm(
  form: Form,
  kind: Fields['kind'],
  currency: string,
  free: boolean,
): { fields: Fields; problems: null } | { fields: null; problems: Problems } {
  const problems: Problems = {}
  const name = limited(form.name, 60)
  const description = limited(form.description, 300)
  if (name === null) problems.name = 'Enter 1 to 60 characters.'
  if (description === null) problems.description = 'Enter 1 to 300 characters.'
  const features = form.features
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  if (features.length > 15 || features.some((line) => line.length > 80))
    problems.features = 'At most 15 lines of 80 characters.'
  const number = (field: 'credits' | 'rate' | 'trial', least: number, most: number): number => {
    const value = /^\d{1,9}$/.test(form[field].trim()) ? Number(form[field]) : Number.NaN
    if (!(value >= least && value <= most))
      problems[field] = `Enter a whole number from ${least} to ${most.toLocaleString('en-US')}.`
    return value
  }
  const code = form.taxCode.trim()
  if (code && !/^txcd_\d{8}$/.test(code)) problems.taxCode = 'Enter a code such as txcd_10103001, or nothing.'
  const tax = { ...(form.tax && { tax_behavior: form.tax }), ...(code && { tax_code: code }) }
  const about = { name: name ?? '', description: description ?? '', currency, ...tax }
  let fields: Fields
  if (kind === 'payg') {
    const typed = UNIT.test(form.price.trim()) ? form.price.trim() : ''
    if (!(Number(typed) > 0)) problems.price = 'Enter an amount above 0, such as 1.00.'
    const others = readOthers(form.others, readPer100)
    if (others === null || Object.hasOwn(others, currency))
      problems.others = 'Enter prices such as EUR 0.01 from 1.00, JPY 2 from 150.'
    const unit = typed && perRequest(typed, currency)
    fields = {
      kind,
      ...about,
      features,
      unit_cents: unit,
      ...given(others),
      rate_limit_per_minute: number('rate', 1, 1_000_000),
    }
  } else {
    const cents = free ? 0 : readPaid(form.price, currency)
    if (cents === null || (!free && cents < 50))
      problems.price = `Enter an amount from ${typedMoney(50, currency)} to ${formatted(99_999_999, currency)}, such as ${typedMoney(1900, currency)}.`
    const others = readOthers(free ? '' : form.others, readPaid)
    if (others === null || Object.hasOwn(others, currency))
      problems.others = 'Enter prices such as EUR 17.00, JPY 2900.'
    const credits = form.unlimited ? Math.max(1, Number(form.credits) || 1) : number('credits', 1, 999_999_999)
    fields =
      kind === 'pack'
        ? { kind, ...about, price_cents: cents ?? 0, ...given(others), credits }
        : {
            kind,
            ...about,
            features,
            price_cents: cents ?? 0,
            ...given(others),
            interval: form.interval,
            yearly: form.yearly && form.interval === 'month',
            credits,
            unlimited: form.unlimited,
            rate_limit_per_minute: number('rate', 1, 1_000_000),
            trial_days: free ? 0 : number('trial', 0, 730),
          }
  }
  return Object.keys(problems).length > 0 ? { fields: null, problems } : { fields, problems: null }
}

const limited = (text: string, most: number): string | null =>
  text.trim() && text.trim().length <= most ? text.trim() : null

/** Fields without prices in other currencies do not name them. */
const given = <T>(others: Record<string, T> | null): { other_prices?: Record<string, T> } =>
  others && Object.keys(others).length > 0 ? { other_prices: others } : {}

const formatted = (cents: number, currency: string): string =>
  typedMoney(cents, currency).replace(/\B(?=(\d{3})+(?!\d))(?<!\..*)/g, ',')

/** Two of the same kind, whatever the order of their keys. */
export const sameFields = (one: Fields, other: Fields): boolean =>
  Object.keys({ ...one, ...other }).every(
    (name) =>
      JSON.stringify((one as Record<string, unknown>)[name]) ===
      JSON.stringify((other as Record<string, unknown>)[name]),
  )

/** What a new product begins with. */
export const newFields = (kind: 'plan' | 'pack', currency: string): Fields =>
  kind === 'pack'
    ? { kind, name: '', description: '', currency, price_cents: 1000, credits: 50_000 }
    : {
        kind,
        name: '',
        description: '',
        currency,
        features: [],
        price_cents: 2900,
        interval: 'month',
        yearly: true,
        credits: 200_000,
        unlimited: false,
        rate_limit_per_minute: 1_200,
        trial_days: 0,
      }
