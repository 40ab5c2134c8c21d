import type { Instrument } from '../catalog.ts'
import { unknownSymbol } from '../find-instrument.ts'
import { listedSymbol } from '../listed-symbol.ts'
import type { MarketData } from '../market-data.ts'
import type { Company } from './companies.ts'
import type { Statement } from './statements.ts'

/**
 * Everything available about a symbol or alias; at least one of instrument and company. Throws unknown_symbol with
 * suggestions, or not_entitled.
 */
export function findCompany(
  market: MarketData,
  name: string,
): { instrument: Instrument | undefined; company: Company | undefined; statements: readonly Statement[] } {
  const instrument = market.catalog.find(name)
  const symbol = instrument?.manifest.symbol ?? listedSymbol(name)
  const company = market.companies.get(symbol)
  const statements = market.statements.bySymbol.get(symbol) ?? []
  if (instrument || company) return { instrument, company, statements }
  throw unknownSymbol(market, name)
}
