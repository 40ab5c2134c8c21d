import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { nearestNames } from '../../tools/nearest-names.ts'
import type { Day } from '../dates.ts'
import type { MarketData } from '../market-data.ts'
import type { Rates } from '../series/rates.ts'

const MS_PER_DAY = 86_400_000
export const today = (): Day => Math.floor(Date.now() / MS_PER_DAY)

export const currencyInput = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => /^[A-Z]{3,5}$/.test(code), { error: 'expected a code such as EUR' })

/** The available rates. Throws unknown_symbol for a currency without rates, with suggestions. */
export function requireRates({ rates }: MarketData, currencies: readonly string[]): Rates {
  if (!rates) throw new AppError('not_found', 'This server has no currency rates.')
  const held = [rates.base, ...rates.currencies.keys()]
  for (const currency of currencies) {
    if (held.includes(currency)) continue
    const suggestions = nearestNames(currency, held).slice(0, 3)
    throw new AppError(
      'unknown_symbol',
      `No rates are available for ${currency}. Available: ${held.sort().join(', ')}.`,
      {
        param: 'currency',
        suggestions,
      },
    )
  }
  return rates
}
