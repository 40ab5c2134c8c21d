import type { Instrument } from '../catalogue.ts'
import { unknownSymbol } from '../find-instrument.ts'
import type { BarsManifest } from '../manifest.ts'
import type { MarketData } from '../market-data.ts'

/** Why one of several symbols has no answer; the others do. */
export interface SymbolError {
  symbol: string
  code: string
  message: string
  suggestions?: readonly string[]
}

/**
 * The instruments of several names, each once, in the order asked for. Unknown names go to `errors`. Throws
 * unknown_symbol when none is known.
 */
export function findAll(market: MarketData, names: readonly string[], errors: SymbolError[]): Instrument[] {
  const found = new Set<Instrument>()
  for (const name of names) {
    const instrument = market.catalogue.find(name)
    if (instrument) found.add(instrument)
    else {
      const { code, message, detail } = unknownSymbol(market, name)
      errors.push({ symbol: name, code, message, suggestions: detail.suggestions ?? [] })
    }
  }
  if (found.size === 0) throw unknownSymbol(market, names[0]!, 'symbols')
  return [...found]
}

/** Says that demo data end at different dates in the past. */
export const mixedSampleWarning = (instruments: readonly Instrument[]): string[] =>
  instruments.some(({ manifest }) => manifest.redistribution === 'demo-only')
    ? ['Historical samples, not live: each symbol ends at its own last date.']
    : []

/** Sessions that make a year: exchanges have about 252, coins trade every day. */
export const sessionsPerYear = ({ type }: BarsManifest): number => (type === 'crypto' ? 365 : 252)
