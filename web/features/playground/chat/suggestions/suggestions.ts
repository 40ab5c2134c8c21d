import type { PlaygroundTool, ToolResult } from '#contract/playground.ts'
import { readTable } from '../../../answer/read-table.ts'
import { ownServer } from '../../own-server.ts'
import type { Call } from '../language/parse-command.ts'
import { type Listed, listedIn } from '../look-up/look-up.ts'
import { ownIdeas } from './own-tools.ts'

/** A message that can be sent, or completed, by pressing a button. */
export interface Suggestion {
  line: string
  /** Shown instead of the line. */
  label?: string
  /** The tool whose price is shown. Absent: the line must be completed first. */
  tool?: string
  /** How often the tool is called. */
  calls?: number
  /** The line stands for a call of the tool with these arguments. */
  arguments?: Record<string, unknown>
  /** The tool whose form is opened instead. */
  form?: string
  /** Historical sample data. */
  sample?: true
}

/** A symbol of this server. */
export interface PublishedSymbol {
  symbol: string
  /** A series of values, not prices. */
  series?: true
  sample?: true
}

/** The symbols of the data that every installation begins with, current data first. */
const bundledSymbols: readonly (PublishedSymbol & { dataset: string })[] = [
  { dataset: 'oil-prices', symbol: 'OIL.WTI' },
  { dataset: 'gold-prices', symbol: 'GOLD.USD' },
  { dataset: 'us-cpi', symbol: 'US.CPI' },
  { dataset: 'us-10y-yield', symbol: 'US.RATE10Y' },
  { dataset: 'exchange-rates', symbol: 'FX.USDEUR' },
  { dataset: 'natural-gas', symbol: 'GAS.HENRYHUB' },
  { dataset: 'oil-prices', symbol: 'OIL.BRENT' },
  { dataset: 'vix-daily', symbol: 'VIX', sample: true },
  { dataset: 'aapl-daily', symbol: 'AAPL', sample: true },
  { dataset: 'msft-daily', symbol: 'MSFT', sample: true },
]
/** Datasets whose contents this page knows. */
export const bundledDatasets: ReadonlySet<string> = new Set([
  ...bundledSymbols.map(({ dataset }) => dataset),
  ...['aapl-minutes', 'btc-minutes', 'currencies', 'fx-points', 'ge-daily', 'msft-minutes', 'ndx-daily', 'spx-daily'],
  ...['ecb-rates', 'sec-filings', 'us-companies', 'us-employment', 'us-shiller', 'us-statements', 'us-treasury-yields'],
  ...['us-unemployment', 'yhoo-daily'],
])

const series = 'get_economic_series'
const bundledStarters: readonly (Suggestion & { datasets: readonly string[] })[] = [
  { datasets: ['oil-prices'], line: 'oil since 2022', tool: series },
  { datasets: ['us-cpi'], line: 'inflation', tool: series },
  {
    datasets: ['oil-prices', 'gold-prices'],
    line: 'compare OIL.WTI and GOLD.USD over 5 years',
    tool: series,
    calls: 2,
  },
  { datasets: ['us-10y-yield'], line: '10 year yield', tool: series },
  { datasets: ['fx-points'], line: 'EUR to USD', tool: 'convert_currency' },
  { datasets: ['us-statements', 'us-companies'], line: 'top companies in Energy', tool: 'screen_stocks' },
  { datasets: ['vix-daily'], line: 'candles VIX over 3 months', tool: 'get_bars', sample: true },
  { datasets: ['aapl-daily'], line: 'price of AAPL', tool: 'get_quote', sample: true },
]

/** The symbols for these datasets; the operator's own come first. */
export const publishedSymbols = (datasets: readonly string[], own: readonly PublishedSymbol[]): PublishedSymbol[] => [
  ...own,
  ...bundledSymbols
    .filter(({ dataset }) => datasets.includes(dataset))
    .map(({ symbol, sample }) => ({ symbol, ...(sample && { sample }) })),
]

const maxStarters = 6

/** Questions that these datasets and tools can respond to: the operator's own first, then current data. */
export function starters(
  datasets: readonly string[],
  own: readonly PublishedSymbol[],
  tools: readonly PlaygroundTool[],
): Suggestion[] {
  const has = new Set(tools.flatMap(({ name, serverName }) => (serverName === ownServer ? [name] : [])))
  const first = own
    .slice(0, 2)
    .map((one): Suggestion => ({ line: `chart ${one.symbol} over 1 year`, tool: one.series ? series : 'get_bars' }))
  const bundled = bundledStarters
    .filter((one) => one.datasets.every((id) => datasets.includes(id)))
    .map(({ datasets: _, ...suggestion }) => suggestion)
  const known = [...first, ...bundled].filter(({ tool }) => has.has(tool!))
  return [...ownIdeas(tools), ...known].slice(0, maxStarters)
}

/** Common follow-up questions. `compared`: the symbols of a comparison. */
export function followUps({ tool, arguments: args }: Call, result: ToolResult, compared?: string[]): Suggestion[] {
  if (result.isError) return corrections(tool, result)
  const table = readTable(result)
  if (compared)
    return [1, 10].map((years) => ({
      label: yearsText(years),
      line: `chart ${compared.join(' and ')} over ${yearsText(years)}`,
      tool,
      calls: compared.length,
    }))
  switch (tool) {
    case 'get_quote': {
      const symbols = Array.isArray(args.symbols) ? args.symbols : []
      return symbols.length === 1 ? aboutSymbol(String(symbols[0])) : []
    }
    case 'get_bars': {
      const symbol = String(args.symbol)
      return [
        { label: '5 years', line: `chart ${symbol} over 5 years`, tool },
        ...(Array.isArray(args.columns)
          ? []
          : [{ label: 'Candles, 3 months', line: `candles ${symbol} over 3 months`, tool }]),
        compareWith(symbol),
      ]
    }
    case series: {
      const symbol = String(args.series_id)
      const spans = [1, 5, 20].filter((years) => args.range !== `${years}y`)
      return [
        ...spans.map((years) => ({ label: yearsText(years), line: `chart ${symbol} over ${yearsText(years)}`, tool })),
        compareWith(symbol),
      ]
    }
    case 'search_symbols':
      return (table ? listedIn(table) : []).slice(0, 3).map(aboutMatch)
    case 'convert_currency':
      return [{ line: `${args.to} to ${args.from}`, tool }]
    case 'summarize_prices': {
      const symbols = (table?.rows ?? []).map(([symbol]) => String(symbol))
      return symbols.length === 2
        ? [{ label: 'Chart both', line: `chart ${symbols.join(' and ')} over 1 year`, tool: 'get_bars', calls: 2 }]
        : []
    }
    case 'screen_stocks': {
      const symbol = table?.rows[0]?.[table.columns.indexOf('symbol')]
      return typeof symbol === 'string' ? [{ line: `financials of ${symbol}`, tool: 'get_financials' }] : []
    }
    case 'get_company':
      return aboutSymbol(String(args.symbol))
    default:
      return []
  }
}

/** The same question about the symbols that a refusal names. */
function corrections(tool: string, { content }: ToolResult): Suggestion[] {
  const said = content.map((block) => (typeof block.text === 'string' ? block.text : '')).join(' ')
  const [, near] = /Did you mean ([^?]{1,100})\?/.exec(said) ?? []
  const question = { get_quote: 'price of', get_bars: 'chart', [series]: 'chart' }[tool]
  if (near === undefined || question === undefined) return []
  return near
    .split(/, | or /)
    .slice(0, 3)
    .map((symbol) => ({ line: `${question} ${symbol}`, tool }))
}

/** The first question about a match of the search: some companies have statements only. */
export const aboutMatch = ({ symbol, type, held }: Listed): Suggestion =>
  held === 'statements'
    ? { line: `financials of ${symbol}`, tool: 'get_financials' }
    : { line: `price of ${symbol}`, tool: type === 'series' ? series : 'get_quote' }

const aboutSymbol = (symbol: string): Suggestion[] => [
  { label: '1 year chart', line: `chart ${symbol} over 1 year`, tool: 'get_bars' },
  compareWith(symbol),
  { label: 'Dividends', line: `dividends of ${symbol}`, tool: 'get_corporate_actions' },
]
const compareWith = (symbol: string): Suggestion => ({ label: 'Compare with ...', line: `compare ${symbol} with ` })
const yearsText = (years: number) => (years === 1 ? '1 year' : `${years} years`)

const maxNear = 3

/** The suggestions most similar to a message that was not understood; if none is, the first ones. */
export function nearest(line: string, known: readonly Suggestion[]): Suggestion[] {
  const wanted = partsOf(line)
  const score = (one: Suggestion) => partsOf(one.line).filter((part) => wanted.includes(part)).length
  return known.toSorted((a, b) => score(b) - score(a)).slice(0, maxNear)
}

/** The words of a text, and their beginnings. */
const partsOf = (text: string): string[] => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return [...new Set(words.flatMap((word) => [word, word.slice(0, 4)]))]
}

interface PriceRule {
  kind?: string
  credits?: number
}

/** The price of a suggestion by the tool's pricing rule; null if it has none. */
export function priceOf({ tool, calls = 1 }: Suggestion, rule: unknown): string | null {
  const { kind, credits } = (rule ?? {}) as PriceRule
  if (tool === undefined || typeof credits !== 'number') return null
  if (credits === 0) return 'free'
  const total = credits * calls
  return `${kind === 'rows' ? 'from ' : ''}${total === 1 ? '1 credit' : `${total} credits`}`
}
