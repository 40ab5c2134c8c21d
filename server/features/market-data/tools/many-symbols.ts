import type { Instrument } from '../catalog.ts'
import { type Day, dayText } from '../dates.ts'
import { unknownSymbol } from '../find-instrument.ts'
import type { BarsManifest } from '../manifest.ts'
import type { MarketData } from '../market-data.ts'

/** Why one of several symbols has no data. The others are returned. */
export interface SymbolError {
  symbol: string
  code: string
  message: string
  suggestions?: readonly string[]
}

/**
 * The instruments of several names, each once, in the requested order. Unknown names go to `errors`. Throws
 * unknown_symbol when none is known.
 */
export function findAll(market: MarketData, names: readonly string[], errors: SymbolError[]): Instrument[] {
  const found = new Set<Instrument>()
  for (const name of names) {
    const instrument = market.catalog.find(name)
    if (instrument) found.add(instrument)
    else {
      const { code, message, detail } = unknownSymbol(market, name)
      errors.push({ symbol: name, code, message, suggestions: detail.suggestions ?? [] })
    }
  }
  if (found.size === 0) throw unknownSymbol(market, names[0]!, 'symbols')
  return [...found]
}

/** States that demo data ends at different dates in the past. */
export const mixedSampleWarning = (instruments: readonly Instrument[]): string[] =>
  instruments.some(({ manifest }) => manifest.redistribution === 'demo-only')
    ? ['Historical samples, not live: each symbol ends at its own last date.']
    : []

/** A symbol's sessions in a requested period. */
export interface Period {
  instrument: Instrument
  adjust: string
  /** First requested day. */
  asked: Day
  /** First available session. */
  first: Day
}

/** A tolerance in days: longer than any exchange has closed in peacetime, and shorter than any useful period. */
const LONGEST_PAUSE = 7

/**
 * Reports symbols that start later than requested: a shorter period under the same name is an easily missed mistake.
 */
export function lateWarning(periods: readonly Period[]): string[] {
  const late = periods.filter(({ asked, first }) => first - asked > LONGEST_PAUSE)
  if (late.length === 0) return []
  const begins = late.map(
    ({ instrument: { manifest }, adjust, first }) =>
      `${manifest.symbol} starts on ${dayText(first)} (adjust=${adjust})`,
  )
  return [`Shorter than requested: ${begins.join(', ')}.`]
}

/**
 * The last date that all of several symbols have, so that a period without dates is the same for all; null if they end
 * together. Where they have no date in common, `to` is undefined and the warning says that the periods differ.
 */
export function commonEnd(instruments: readonly Instrument[]): { to: string | undefined; warning: string } | null {
  const ends = instruments.map(({ manifest }) => manifest.last).sort()
  if (ends.length === 0 || ends[0] === ends.at(-1)) return null
  const to = ends[0]!
  if (instruments.some(({ manifest }) => manifest.first >= to))
    return { to: undefined, warning: 'The periods differ: these symbols have no date in common. Compare with care.' }
  return { to, warning: `Every period ends on ${to}, the last date that all of these symbols have.` }
}

/** The origin of the data of several symbols, and the date of the newest. */
export const originOf = (instruments: readonly Instrument[]) => ({
  source: [...new Set(instruments.flatMap(({ source }) => source.split(', ')))].join(', '),
  as_of:
    instruments
      .map(({ manifest }) => manifest.last)
      .sort()
      .at(-1) ?? null,
})

/** Sessions in a year: exchanges have about 252, coins trade every day. */
export const sessionsPerYear = ({ type }: BarsManifest): number => (type === 'crypto' ? 365 : 252)
