import { AppError } from '../../http/errors.ts'
import type { Instrument } from './catalogue.ts'
import { listedSymbol } from './listed-symbol.ts'
import type { MarketData } from './market-data.ts'

const MAX_ECHO_LENGTH = 40

/** The instrument of a symbol or alias. Throws unknown_symbol with up to three suggestions, or not_entitled; `param` is the input that named it. */
export function findInstrument(market: MarketData, name: string, param = 'symbol'): Instrument {
  const instrument = market.catalogue.find(name)
  if (instrument) return instrument
  throw unknownSymbol(market, name, param)
}

/** Why a symbol has no prices for this caller: the plan leaves it out, only the company is known, or it is a mistake. */
export function unknownSymbol(market: MarketData, name: string, param = 'symbol'): AppError {
  const shown = name.length > MAX_ECHO_LENGTH ? `${name.slice(0, MAX_ECHO_LENGTH)}…` : name
  if (isWithheld(market, name)) return notEntitled(shown, param)
  const company = market.companies.get(listedSymbol(name))
  if (company) {
    const statements = market.statements.bySymbol.has(company.symbol) ? ' Its statements are: use get_financials.' : ''
    const text = `${company.symbol}${company.name ? ` (${company.name})` : ''} is listed, but its prices are not held here.`
    return new AppError('unknown_symbol', `${text}${statements} search_symbols shows what is held.`, {
      param,
      suggestions: [],
    })
  }
  const suggestions = market.catalogue.suggest(name)
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(', ')}?`
      : 'Use search_symbols (GET /v1/symbols) to see what is held.'
  return new AppError('unknown_symbol', `${shown} is not in the catalogue. ${hint}`, { param, suggestions })
}

/** Whether this server holds the name for others only. */
export const isWithheld = ({ withheld }: MarketData, name: string): boolean =>
  withheld.has(name.normalize('NFKC').trim().toUpperCase())

export const notEntitled = (name: string, param: string): AppError =>
  new AppError(
    'not_entitled',
    `${name} is held, but not for the plan of this account. list_datasets shows what is reserved; nothing was charged.`,
    { param },
  )
