import type { Fields } from './product-data.ts'

/** What the form holds: text as typed. */
export interface Form {
  name: string
  description: string
  /** A card line each. */
  features: string
  /** In dollars, or the currency's unit; pay-as-you-go: of 100 requests. */
  price: string
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

const decimals = (cents: number): string => (cents / 100).toFixed(2)

export const formOf = (fields: Fields): Form => ({
  name: fields.name,
  description: fields.description,
  features: 'features' in fields ? fields.features.join('\n') : '',
  price: fields.kind === 'payg' ? plain(Number(fields.unit_cents)) : decimals(fields.price_cents),
  interval: fields.kind === 'plan' ? fields.interval : 'month',
  yearly: fields.kind === 'plan' && fields.yearly,
  credits: fields.kind === 'payg' ? '' : String(fields.credits),
  unlimited: fields.kind === 'plan' && fields.unlimited,
  rate: 'rate_limit_per_minute' in fields ? String(fields.rate_limit_per_minute) : '',
  trial: fields.kind === 'plan' ? String(fields.trial_days) : '',
  tax: fields.tax_behavior ?? '',
  taxCode: fields.tax_code ?? '',
})

/** Without an exponent: 0.0000001, not 1e-7. */
const plain = (value: number): string => value.toFixed(12).replace(/\.?0+$/, '')

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
    const unit = /^(0|[1-9]\d{0,5})(\.\d{1,12})?$/.test(form.price.trim()) ? form.price.trim() : ''
    if (!(Number(unit) > 0)) problems.price = 'Enter an amount above 0, such as 1.00.'
    fields = { kind, ...about, features, unit_cents: unit, rate_limit_per_minute: number('rate', 1, 1_000_000) }
  } else {
    const cents = free ? 0 : centsOf(form.price)
    if (cents === null || (!free && cents < 50))
      problems.price = 'Enter an amount from 0.50 to 999,999.99, such as 19.00.'
    const credits = form.unlimited ? Math.max(1, Number(form.credits) || 1) : number('credits', 1, 999_999_999)
    fields =
      kind === 'pack'
        ? { kind, ...about, price_cents: cents ?? 0, credits }
        : {
            kind,
            ...about,
            features,
            price_cents: cents ?? 0,
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

/** `19`, `19.5` or `1,900.00` as cents. */
function centsOf(text: string): number | null {
  const [, whole, part = ''] = /^(\d{1,6})(?:\.(\d{1,2}))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

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
