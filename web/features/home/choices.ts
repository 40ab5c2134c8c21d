import type { Call } from '../runner/send-call.ts'

/** Something that a visitor can ask for, as a REST call and as the same MCP tool call. */
export interface Choice extends Call {
  /** What the visitor reads; also names the chart. */
  label: string
  tool: string
  arguments: Record<string, string>
}

export const seriesChoice = (label: string, id: string, range: string): Choice => ({
  label,
  path: `/v1/series/${encodeURIComponent(id)}?range=${range}`,
  tool: 'get_economic_series',
  arguments: { series_id: id, range },
})

/** Open data of the demonstration, the first call first. */
export const choices: readonly [Choice, ...Choice[]] = [
  seriesChoice('Crude oil', 'OIL.WTI', '1mo'),
  seriesChoice('Natural gas', 'GAS.HENRYHUB', '1y'),
  seriesChoice('Gold', 'GOLD.USD', '10y'),
  seriesChoice('10-year yield', 'US.RATE10Y', '10y'),
  seriesChoice('Dollar in euros', 'FX.USDEUR', '5y'),
  {
    label: 'Nvidia',
    path: '/v1/financials/NVDA?statement=income',
    tool: 'get_financials',
    arguments: { symbol: 'NVDA', statement: 'income' },
  },
]

interface Found {
  symbol: string
  name: string | null
  held: string
}

/** The call that shows most of a search result: its series, its bars, its statements, or what is known of it. */
export function choiceOf({ symbol, name, held }: Found): Choice {
  const label = name ?? symbol
  const inPath = encodeURIComponent(symbol)
  if (held === 'series') return seriesChoice(label, symbol, '5y')
  if (held.startsWith('bars'))
    return { label, path: `/v1/bars/${inPath}?range=1y`, tool: 'get_bars', arguments: { symbol, range: '1y' } }
  if (held.includes('statements'))
    return { label, path: `/v1/financials/${inPath}`, tool: 'get_financials', arguments: { symbol } }
  return { label, path: `/v1/symbols/${inPath}`, tool: 'get_company', arguments: { symbol } }
}

/** Where a visitor's words are looked up. The search is free. */
export const searchCall = (query: string): Call => ({ path: `/v1/symbols?q=${encodeURIComponent(query)}&limit=1` })
