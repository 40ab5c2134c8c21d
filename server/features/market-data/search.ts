import { dayText } from './dates.ts'
import type { MarketData } from './market-data.ts'

export const searchTypes = ['stock', 'index', 'crypto', 'series'] as const

export interface Found {
  symbol: string
  name: string | null
  type: (typeof searchTypes)[number]
  mic: string | null
  currency: string | null
  first: string
  last: string
  /** The kinds of data available. */
  held: string
  /** From 1 for the name itself to 0.3 for a likely typo. */
  score: number
}

/**
 * Everything that calls can name: instruments, economic series, companies with statements. Best first; an empty query
 * matches all.
 */
export function searchMarket(market: MarketData, query: string): Found[] {
  const instruments = market.catalog.search(query).map(({ instrument, score }): Found => {
    const { symbol, name, type, mic, currency, first, last } = instrument.manifest
    const held = market.statements.bySymbol.has(symbol) ? 'bars, statements' : 'bars'
    return { symbol, name, type, mic, currency, first, last, held, score }
  })
  const others = [...series(market, query), ...companies(market, query)]
  // A typo guess is useless next to real matches.
  const sure = instruments.some(({ score }) => score > GUESS) || others.length === 0 ? instruments : []
  return [...sure, ...others].sort((a, b) => b.score - a.score)
}

const GUESS = 0.3

function series(market: MarketData, query: string): Found[] {
  return [...new Set(market.series.values())].flatMap((one) => {
    const score = scoreOf(query, [one.id, ...one.aliases], one.name)
    if (score === 0) return []
    const [first, last] = [dayText(one.times[0]!), dayText(one.times.at(-1)!)]
    return [
      { symbol: one.id, name: one.name, type: 'series', mic: null, currency: null, first, last, held: 'series', score },
    ]
  })
}

function companies(market: MarketData, query: string): Found[] {
  const found: Found[] = []
  for (const [symbol, statements] of market.statements.bySymbol) {
    if (market.catalog.find(symbol)) continue
    const { name = null, mic = null } = market.companies.get(symbol) ?? {}
    const score = scoreOf(query, [symbol], name ?? '')
    if (score === 0) continue
    const [first, last] = [dayText(statements.at(-1)!.periodEnd), dayText(statements[0]!.periodEnd)]
    found.push({ symbol, name, type: 'stock', mic, currency: null, first, last, held: 'statements', score })
  }
  return found
}

/** The same measure as the catalog's, without typo guesses. */
function scoreOf(query: string, names: readonly string[], title: string): number {
  const wanted = query.normalize('NFKC').trim().toUpperCase()
  if (wanted === '' || names[0] === wanted) return 1
  if (names.includes(wanted)) return 0.95
  if (names.some((name) => name.startsWith(wanted))) return 0.8
  const words = `${names[0]} ${title}`.toUpperCase().split(/[^\p{L}\p{N}]+/u)
  const parts = wanted.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part))) ? 0.6 : 0
}
