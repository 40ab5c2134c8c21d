import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { type Handler, pick } from '../objects/assign.ts'
import type { Address, Body, Fields } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import type { Place } from './location.ts'
import { inUnion } from './table.ts'

interface Settings {
  object: 'tax.settings'
  defaults: { provider: 'stripe'; tax_behavior: string | null; tax_code: string | null }
  head_office: { address: Address } | null
  livemode: false
  status: 'active' | 'pending'
  status_details: object
}

interface Registration extends Body {
  country: string
  country_options: Record<string, { type: string; state?: string }>
  active_from: number
  expires_at: number | null
}

/** The account's tax settings; `pending` until they have a head office. */
export async function settingsOf(tx: Session): Promise<Settings> {
  const sql = "select value from stripe_sandbox.settings where name = 'tax'"
  const { rows } = await tx.client.query<{ value: string }>(sql)
  const { defaults, head_office = null } = JSON.parse(rows[0]?.value ?? '{}')
  return {
    object: 'tax.settings',
    defaults: { provider: 'stripe', tax_behavior: null, tax_code: null, ...defaults },
    head_office,
    livemode: false,
    status: head_office ? 'active' : 'pending',
    status_details: head_office ? { active: {} } : { pending: { missing_fields: ['head_office'] } },
  }
}

async function updateSettings(tx: Session, params: Stripe.Tax.SettingsUpdateParams): Promise<Settings> {
  const before = await settingsOf(tx)
  const given = params.head_office?.address
  if (given && !given.country) throw invalid('A head office needs a country.', { param: 'head_office[address]' })
  const empty = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }
  const head_office = given ? { address: { ...empty, ...given } } : before.head_office
  const defaults = { ...before.defaults, ...pick(params.defaults ?? {}, 'tax_behavior', 'tax_code') }
  const sql = `insert into stripe_sandbox.settings (name, value) values ('tax', $1)
    on conflict (name) do update set value = excluded.value`
  await tx.client.query(sql, [JSON.stringify({ defaults, head_office })])
  const after = await settingsOf(tx)
  await tx.emit('tax.settings.updated', after as unknown as Body)
  return after
}

/** Refuses automatic tax as long as the account has no head office. */
export async function assertTaxReady(tx: Session, param = 'automatic_tax[enabled]'): Promise<void> {
  if ((await settingsOf(tx)).status === 'active') return
  throw invalid(
    'You must have a valid head office address to enable automatic tax calculation in test mode. Visit https://dashboard.stripe.com/test/settings/tax to update it.',
    { param },
  )
}

const statusOf = ({ active_from: from, expires_at: to }: Registration, now: number) =>
  from > now ? 'scheduled' : to !== null && to <= now ? 'expired' : 'active'

/** Whether the seller is registered at a place, or anywhere in the EU. */
export async function assess(tx: Session, place: Place): Promise<{ registered: boolean; inUnion: boolean }> {
  const all = await tx.find<Registration>('tax.registration', {})
  const active = all.filter((one) => statusOf(one, tx.now) === 'active')
  const optionOf = ({ country, country_options: options }: Registration) => options[country.toLowerCase()]
  const covers = (one: Registration) =>
    (one.country === place.country && (one.country !== 'US' || optionOf(one)?.state === place.state)) ||
    (inUnion(place.country) && /^oss_/.test(optionOf(one)?.type ?? ''))
  return { registered: active.some(covers), inUnion: active.some((one) => inUnion(one.country)) }
}

const timeOf = (tx: Session, given: unknown) => (given === 'now' ? tx.now : (given as number))

async function register(tx: Session, params: Stripe.Tax.RegistrationCreateParams): Promise<Body> {
  const country = params.country.toUpperCase()
  const options = params.country_options as unknown as Fields
  if (!options[country.toLowerCase()])
    throw invalid(`The country options lack ${country.toLowerCase()}.`, { param: 'country_options' })
  const made = await tx.create<Registration>('tax.registration', 'taxreg', {
    country,
    country_options: options,
    active_from: timeOf(tx, params.active_from),
    expires_at: params.expires_at ?? null,
    status: 'active',
  })
  return { ...made, status: statusOf(made, tx.now) }
}

async function updateRegistration(tx: Session, params: Stripe.Tax.RegistrationUpdateParams, id: string): Promise<Body> {
  const found = await tx.get<Registration>('tax.registration', id)
  if (params.active_from !== undefined) found.active_from = timeOf(tx, params.active_from)
  if (params.expires_at !== undefined)
    found.expires_at = params.expires_at === '' ? null : timeOf(tx, params.expires_at)
  await tx.save(found)
  return { ...found, status: statusOf(found, tx.now) }
}

async function listRegistrations(tx: Session, params: Stripe.Tax.RegistrationListParams): Promise<Body[]> {
  const all = (await tx.find<Registration>('tax.registration', {})).reverse()
  return all
    .map((one) => ({ ...one, status: statusOf(one, tx.now) }))
    .filter(({ status }) => !params.status || params.status === 'all' || params.status === status)
}

export const taxSettingsHandlers: Record<string, Handler> = {
  'GET /v1/tax/settings': (tx) => settingsOf(tx),
  'POST /v1/tax/settings': updateSettings,
  'GET /v1/tax/registrations': listRegistrations,
  'POST /v1/tax/registrations': register,
  'GET /v1/tax/registrations/{id}': async (tx, _params, id) => {
    const found = await tx.get<Registration>('tax.registration', id)
    return { ...found, status: statusOf(found, tx.now) }
  },
  'POST /v1/tax/registrations/{id}': updateRegistration,
}
