import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assign, type Handler, pick } from '../objects/assign.ts'
import type { Body, TaxRate } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import type { Place } from './location.ts'
import { jurisdictions } from './table.ts'

const fields = ['active', 'country', 'description', 'display_name', 'jurisdiction', 'metadata', 'state', 'tax_type']

async function create(tx: Session, params: Stripe.TaxRateCreateParams): Promise<Body> {
  if (params.percentage < 0 || params.percentage > 100)
    throw invalid('The percentage must be between 0 and 100.', { param: 'percentage' })
  const rate = await tx.create<TaxRate>('tax_rate', 'txr', {
    active: true,
    effective_percentage: params.percentage,
    rate_type: 'percentage',
    metadata: {},
    ...pick(params, 'inclusive', 'percentage', ...fields),
  })
  await tx.emit('tax_rate.created', rate)
  return rate
}

async function update(tx: Session, params: Stripe.TaxRateUpdateParams, id: string): Promise<Body> {
  const rate = await tx.get<TaxRate>('tax_rate', id)
  assign(rate, params, ...fields)
  await tx.save(rate, 'tax_rate.updated')
  return rate
}

/** The active rates with these ids, for `tax_rates` and `default_tax_rates`; undefined if none are given. */
export async function readRates(
  tx: Session,
  given: string[] | '' | null | undefined,
  param: string,
): Promise<TaxRate[] | undefined> {
  if (given === undefined) return undefined
  const rates = []
  for (const id of given || []) {
    const rate = await tx.get<TaxRate>('tax_rate', id, param)
    if (!rate.active) throw invalid(`The tax rate ${id} is archived and cannot be used.`, { param })
    rates.push(rate)
  }
  return rates
}

/** The rate that automatic tax applies at a place; made when it is first needed, archived, so that nobody picks it. */
export async function generatedRate(
  tx: Session,
  { country, state }: Place,
  percentage: number,
  inclusive: boolean,
): Promise<TaxRate> {
  const key = country === 'US' ? `${country}-${state}` : country
  const known = { _generated: key, percentage, inclusive }
  const [found] = await tx.find<TaxRate>('tax_rate', known)
  const { display_name = 'Tax', name = country, tax_type = null } = jurisdictions[key] ?? {}
  return (
    found ??
    tx.create<TaxRate>('tax_rate', 'txr', {
      ...known,
      active: false,
      country,
      display_name,
      effective_percentage: percentage,
      description: `${display_name} ${name}`,
      jurisdiction: country === 'US' ? name : country,
      jurisdiction_level: country === 'US' ? 'state' : 'country',
      metadata: {},
      rate_type: 'percentage',
      state: country === 'US' ? state : null,
      tax_type,
    })
  )
}

export const taxRateHandlers: Record<string, Handler> = {
  'POST /v1/tax_rates': create,
  'POST /v1/tax_rates/{id}': update,
}
