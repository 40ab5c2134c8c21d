import { firstOnOrAfter } from '../bars/bar-series.ts'
import { type Day, parseDay } from '../dates.ts'
import { readTable } from '../load-dataset.ts'
import type { Manifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'
import { type EconomicSeries, versionOf } from './economic-series.ts'

type RatesManifest = Extract<Manifest, { kind: 'rates' }>

/** Units of each currency for one unit of `base`, at the available dates. */
export interface Rates {
  manifest: Manifest
  base: string
  datasetVersion: string
  currencies: ReadonlyMap<string, { times: Int32Array; rates: Float64Array }>
}

/** The rates of one dataset. Throws when the file does not match its manifest. */
export async function loadRates(files: VersionFiles, manifest: RatesManifest): Promise<Rates> {
  const { rows } = await readTable(files, manifest)
  const byCurrency = new Map<string, [Day, number][]>()
  for (const [date, currency, rate] of rows) {
    byCurrency.set(currency!, [...(byCurrency.get(currency!) ?? []), [parseDay(date!), Number(rate)]])
  }
  const currencies = new Map(
    [...byCurrency].map(([currency, points]) => {
      points.sort(([a], [b]) => a - b)
      return [
        currency,
        { times: Int32Array.from(points, ([day]) => day), rates: Float64Array.from(points, ([, rate]) => rate) },
      ]
    }),
  )
  return { manifest, base: manifest.base, datasetVersion: versionOf(manifest), currencies }
}

/** Series that are rates, as rates; null for other series. */
export function ratesOf(manifest: Manifest, series: readonly EconomicSeries[]): Rates | null {
  if (manifest.kind !== 'series' || !manifest.base) return null
  const currencies = new Map(
    series.flatMap(({ currency, times, values }) => (currency ? [[currency, { times, rates: values }] as const] : [])),
  )
  return { manifest, base: manifest.base, datasetVersion: versionOf(manifest), currencies }
}

/** Available dates of a currency; the base has those of all others. */
export function rateDates(rates: Rates, currency: string): Int32Array | undefined {
  if (currency !== rates.base) return rates.currencies.get(currency)?.times
  return [...rates.currencies.values()].map(({ times }) => times).sort((a, b) => b.length - a.length)[0]
}

export interface CrossRate {
  /** Units of `to` for one unit of `from`. */
  rate: number
  /** The older date of the two rates used. */
  day: Day
  /** direct: one of the two is the base of the data. cross: through the base. same: one currency. */
  method: 'direct' | 'cross' | 'same'
}

/**
 * The last rate on or before `day`: rate(from to to) = rate(base to to) / rate(base to from). Both legs have the same
 * date, the last that both have; null if there is none.
 */
export function crossRate(rates: Rates, from: string, to: string, day: Day): CrossRate | null {
  const dates = [from, to].map((currency) => rateDates(rates, currency))
  const [fromDates, toDates] = dates
  if (!fromDates || !toDates) return null
  for (let at = firstOnOrAfter(fromDates, day + 1) - 1; at >= 0; at--) {
    const date = fromDates[at]!
    const [a, b] = [legOn(rates, from, date), legOn(rates, to, date)]
    if (a === null || b === null) continue
    const method = from === to ? 'same' : from === rates.base || to === rates.base ? 'direct' : 'cross'
    return { rate: b / a, day: date, method }
  }
  return null
}

function legOn({ base, currencies }: Rates, currency: string, day: Day): number | null {
  if (currency === base) return 1
  const held = currencies.get(currency)
  if (!held) return null
  const at = firstOnOrAfter(held.times, day)
  return held.times[at] === day ? held.rates[at]! : null
}
