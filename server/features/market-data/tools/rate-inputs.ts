import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { nearestNames } from '../../tools/input/nearest-names.ts'
import type { Day } from '../dates.ts'
import type { MarketData } from '../market-data.ts'
import { type CrossRate, crossRate, type Rates } from '../series/rates.ts'

const MS_PER_DAY = 86_400_000
export const today = (): Day => Math.floor(Date.now() / MS_PER_DAY)

export const currencyInput = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => /^[A-Z]{3,5}$/.test(code), { error: 'expected a code such as EUR' })

/** Datasets with rates of all the currencies. Throws unknown_symbol if there is none, with suggestions. */
export function requireRates({ rates }: MarketData, currencies: readonly string[]): [Rates, ...Rates[]] {
  if (rates.length === 0) throw new AppError('not_found', 'This server has no currency rates.')
  const codesOf = (one: Rates) => [one.base, ...one.currencies.keys()]
  const [first, ...others] = rates.filter((one) => currencies.every((currency) => codesOf(one).includes(currency)))
  if (first) return [first, ...others]
  const held = [...new Set(rates.flatMap(codesOf))].sort()
  const unknown = currencies.find((currency) => !held.includes(currency))
  if (!unknown)
    throw new AppError('unknown_symbol', `No dataset has rates for all of ${[...new Set(currencies)].join(', ')}.`, {
      param: 'currency',
    })
  throw new AppError('unknown_symbol', `No rates are available for ${unknown}. Available: ${held.join(', ')}.`, {
    param: 'currency',
    suggestions: nearestNames(unknown, held).slice(0, 3),
  })
}

/** The rate of the last day on or before `day` that any of the datasets has; null if there is none. */
export function lastRate(
  datasets: readonly Rates[],
  from: string,
  to: string,
  day: Day,
): (CrossRate & { rates: Rates }) | null {
  let last: (CrossRate & { rates: Rates }) | null = null
  for (const rates of datasets) {
    const found = crossRate(rates, from, to, day)
    if (found && (!last || found.day >= last.day)) last = { ...found, rates }
  }
  return last
}
