import { AppError } from '../../http/errors.ts'
import type { WhyWithheld } from '../entitlement/why-withheld.ts'
import type { Instrument } from './catalog.ts'
import { listedSymbol } from './listed-symbol.ts'
import type { MarketData } from './market-data.ts'

const MAX_ECHO_LENGTH = 40

/**
 * The instrument of a symbol or alias. Throws unknown_symbol with up to three suggestions, or not_entitled. `param` is
 * the input that named it.
 */
export function findInstrument(market: MarketData, name: string, param = 'symbol'): Instrument {
  const instrument = market.catalog.find(name)
  if (instrument) return instrument
  throw unknownSymbol(market, name, param)
}

/** Why a symbol has no prices for this caller: its plan excludes it, only the company is known, or it is unknown. */
export function unknownSymbol(market: MarketData, name: string, param = 'symbol'): AppError {
  const shown = name.length > MAX_ECHO_LENGTH ? `${name.slice(0, MAX_ECHO_LENGTH)}…` : name
  const why = whyWithheld(market, name)
  if (why) return notEntitled(why, shown, param)
  const company = market.companies.get(listedSymbol(name))
  if (company) {
    const statements = market.statements.bySymbol.has(company.symbol)
      ? ' Its statements are available: use get_financials.'
      : ''
    const text = `${company.symbol}${company.name ? ` (${company.name})` : ''} is listed, but this server has no prices for it.`
    return new AppError('unknown_symbol', `${text}${statements} search_symbols lists what is available.`, {
      param,
      suggestions: [],
    })
  }
  const suggestions = market.catalog.suggest(name)
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(', ')}?`
      : 'Use search_symbols (GET /v1/symbols) to see what is available.'
  return new AppError('unknown_symbol', `${shown} is not in the catalog. ${hint}`, { param, suggestions })
}

/** Why this server has the name, but not for this caller; undefined: it does not have it. */
export const whyWithheld = ({ withheld }: MarketData, name: string): WhyWithheld | undefined =>
  withheld.get(name.normalize('NFKC').trim().toUpperCase())

export const notEntitled = (why: WhyWithheld, name: string, param: string): AppError =>
  new AppError('not_entitled', reasons[why](name), { param })

const reasons: Record<WhyWithheld, (name: string) => string> = {
  plan: (name) =>
    `${name} is not included in this account's plan. list_datasets shows which datasets need another plan. Nothing was charged.`,
  ai_clients: (name) =>
    `${name} is not available to AI clients: the terms of its source forbid that. The REST API has it. Nothing was charged.`,
}
