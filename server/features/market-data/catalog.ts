import { nearestNames } from '../tools/input/nearest-names.ts'
import type { BarSeries } from './bars/bar-series.ts'
import type { BarsManifest } from './manifest.ts'

/** A symbol that has bars. */
export interface Instrument {
  manifest: BarsManifest
  series: BarSeries
  /** Changes with the data; part of every cursor. */
  datasetVersion: string
  /** The origin stated in answers. */
  source: string
  /** One-minute bars, dated in minutes since 1970, where available. */
  intraday: Pick<Instrument, 'manifest' | 'series' | 'datasetVersion' | 'source'> | null
}

export interface Match {
  instrument: Instrument
  /** From 1 for the symbol itself to 0.3 for a likely typo. */
  score: number
}

/** Finds instruments by the names that people use. */
export interface Catalog {
  /** By symbol. */
  readonly instruments: readonly Instrument[]
  /** The instrument of a symbol or alias, in any case; undefined if there is none. */
  find: (name: string) => Instrument | undefined
  /** Up to three symbols that may have been meant. */
  suggest: (name: string) => string[]
  /** Best first. An empty query matches everything. */
  search: (query: string) => Match[]
}

/** `AAPL`, `aapl` and ` AAPL ` are the same name, and so are full-width letters. */
const normalize = (name: string) => name.normalize('NFKC').trim().toUpperCase()

/** Throws when two instruments share a symbol or alias. */
export function createCatalog(instruments: readonly Instrument[]): Catalog {
  const sorted = [...instruments].sort((a, b) => (a.manifest.symbol < b.manifest.symbol ? -1 : 1))
  const byName = new Map<string, Instrument>()
  for (const instrument of sorted) {
    for (const name of namesOf(instrument.manifest)) {
      if (byName.has(name)) throw new Error(`Two datasets claim the symbol ${name}.`)
      byName.set(name, instrument)
    }
  }
  const names = [...byName.keys()]
  const find = (name: string) => byName.get(normalize(name))
  const nearest = (name: string, count: number) =>
    [...new Set(nearestNames(normalize(name), names).map((near) => byName.get(near)!))].slice(0, count)
  return {
    instruments: sorted,
    find,
    suggest: (name) => nearest(name, 3).map(({ manifest }) => manifest.symbol),
    search(query) {
      const wanted = normalize(query)
      const matches = sorted
        .map((instrument) => ({ instrument, score: score(instrument.manifest, wanted) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
      return matches.length > 0 ? matches : nearest(query, 3).map((instrument) => ({ instrument, score: 0.3 }))
    },
  }
}

/** Symbol, aliases, and the symbol with its exchange, in capitals: AAPL.XNAS, AAPL.US. */
export function namesOf({
  symbol,
  aliases,
  mic,
  currency,
}: Pick<BarsManifest, 'symbol' | 'aliases' | 'mic' | 'currency'>): Set<string> {
  const qualified = mic ? [`${symbol}.${mic}`, ...(currency === 'USD' ? [`${symbol}.US`] : [])] : []
  return new Set([symbol, ...aliases, ...qualified].map(normalize))
}

function score(manifest: BarsManifest, wanted: string): number {
  if (wanted === '' || manifest.symbol === wanted) return 1
  const names = [...namesOf(manifest)]
  if (names.includes(wanted)) return 0.95
  if (names.some((name) => name.startsWith(wanted))) return 0.8
  const words = normalize(manifest.name).split(/[^\p{L}\p{N}]+/u)
  const parts = wanted.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  if (parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part)))) return 0.6
  return wanted.length > 2 && normalize(manifest.name).includes(wanted) ? 0.4 : 0
}
