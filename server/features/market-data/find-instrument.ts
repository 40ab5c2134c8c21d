import { AppError } from '../../http/errors.ts'
import type { Instrument } from './catalogue.ts'
import type { MarketData } from './market-data.ts'

const MAX_ECHO_LENGTH = 40

/** The instrument of a symbol or alias. Throws unknown_symbol with up to three suggestions. */
export function findInstrument(market: MarketData, name: string): Instrument {
  const instrument = market.catalogue.find(name)
  if (instrument) return instrument
  throw new AppError('unknown_symbol', ...unknownSymbol(market, name))
}

/** The sentence and the facts for a symbol that is not held. */
export function unknownSymbol(
  market: MarketData,
  name: string,
): [message: string, detail: { param: string; suggestions: string[] }] {
  const suggestions = market.catalogue.suggest(name)
  const shown = name.length > MAX_ECHO_LENGTH ? `${name.slice(0, MAX_ECHO_LENGTH)}…` : name
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(', ')}?`
      : 'Use search_symbols (GET /v1/symbols) to see what is held.'
  return [`${shown} is not in the catalogue. ${hint}`, { param: 'symbol', suggestions }]
}
