import { type Selectable, sql } from 'kysely'
import type { Plans } from '../../../db/schema.gen.ts'
import { PAYG_MINIMUM_CENTS } from '../pay-as-you-go/payg-amount.ts'
import { isPayAsYouGo, leastCents } from './plan-rules.ts'

/** What a price costs in a currency that is not its own, in that currency's minor units. */
export interface OtherPrice {
  priceCents: number
  unitAmountDecimal: string | null
  /** Not sold any more: subscriptions in it go on. */
  ended?: true
}
/** By currency. */
export type CurrencyOptions = Record<string, OtherPrice>

/** Columns of a price: of a plan or a pack. */
export interface Priced {
  currency: string
  price_cents: number
  unit_amount_decimal?: string | null
  currency_options: unknown
}

/** The other currencies that a price is sold in. */
export const optionsOf = ({ currency_options: options }: Pick<Priced, 'currency_options'>): CurrencyOptions =>
  Object.fromEntries(Object.entries(options as CurrencyOptions).filter(([, { ended }]) => !ended))

/** The currencies that a price is sold in, its own first. */
export const currenciesOf = (price: Priced): string[] => [price.currency, ...Object.keys(optionsOf(price)).sort()]

/** A plan or a pack with its price in a currency (null: its own), also one that ended; null when it has none in it. */
export function priceIn<P extends Priced>(price: P, currency: string | null): P | null {
  if (currency === null || currency === price.currency) return price
  const options = price.currency_options as CurrencyOptions
  const other = Object.hasOwn(options, currency) && options[currency]
  if (!other) return null
  return { ...price, currency, price_cents: other.priceCents, unit_amount_decimal: other.unitAmountDecimal }
}

/** The least that a month of this plan costs in its currency; 0 unless it is pay-as-you-go. */
export function leastOf({ currency, metadata }: Pick<Selectable<Plans>, 'currency' | 'metadata'>): number {
  const facts = { metadata: metadata as Record<string, string> }
  return isPayAsYouGo(facts) ? (leastCents(facts, currency) ?? PAYG_MINIMUM_CENTS) : 0
}

/** In SQL, of a subscription `s` and its plan `p`: the currency, and the price in it. What is free is so in every currency. */
export const heldCurrency = sql<string>`coalesce(s.currency, p.currency)`
export const heldPriceCents = sql<number>`case when ${heldCurrency} = p.currency or p.type = 'free' then p.price_cents
  else coalesce((p.currency_options -> s.currency ->> 'priceCents')::bigint, 0) end`
export const heldUnitAmount = sql<
  string | null
>`case when ${heldCurrency} = p.currency or p.type = 'free' then p.unit_amount_decimal
  else p.currency_options -> s.currency ->> 'unitAmountDecimal' end`
