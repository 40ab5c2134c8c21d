import { exponentOf } from '#contract/currency.ts'
import { firstOnOrAfter } from '../../market-data/bars/bar-series.ts'
import { type Day, dayText, parseDay } from '../../market-data/dates.ts'
import type { MarketData } from '../../market-data/market-data.ts'

const ECB = 'European Central Bank'

interface Rate {
  currency: string
  /** Units for one euro. */
  rate: number
  /** UTC day, `2026-11-27`. */
  day: string
}

/**
 * Sums of several currencies as one, by the ECB's reference rates that are stored here, of the last day on or before `day` that has
 * one. Minor units, rounded once. Null if a rate is missing, or if there is nothing to convert.
 */
export function convertSums(
  { rates: datasets }: Pick<MarketData, 'rates'>,
  sums: { currency: string; cents: number }[],
  to: string,
  day: string,
): { currency: string; cents: number; rates: Rate[] } | null {
  const rates = new Map<string, Rate>()
  for (const currency of new Set([to, ...sums.map((sum) => sum.currency)])) {
    if (currency === 'eur') continue
    const found = lastEuroRate(datasets, currency, parseDay(day))
    if (!found) return null
    rates.set(currency, { currency, rate: found.rate, day: dayText(found.day) })
  }
  if (sums.every(({ currency }) => currency === to)) return null
  const units = ({ currency, cents }: { currency: string; cents: number }) =>
    cents / 10 ** exponentOf(currency) / (rates.get(currency)?.rate ?? 1)
  const euros = sums.reduce((sum, one) => sum + units(one), 0)
  const cents = Math.round(euros * (rates.get(to)?.rate ?? 1) * 10 ** exponentOf(to))
  return { currency: to, cents, rates: [...rates.values()] }
}

function lastEuroRate(datasets: MarketData['rates'], currency: string, day: Day): { rate: number; day: Day } | null {
  return datasets
    .filter(({ base, manifest }) => base === 'EUR' && manifest.sources.some(({ publisher }) => publisher === ECB))
    .flatMap(({ currencies }) => {
      const { times, rates } = currencies.get(currency.toUpperCase()) ?? { times: new Int32Array(), rates: [] }
      const at = firstOnOrAfter(times, day + 1) - 1
      return at < 0 ? [] : [{ rate: rates[at]!, day: times[at]! }]
    })
    .reduce<{ rate: number; day: Day } | null>((last, one) => (last && last.day >= one.day ? last : one), null)
}
