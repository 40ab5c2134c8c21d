import type { Call } from '../answer/send-call.ts'

/** Something that a visitor can ask for, as a REST call and as the same MCP tool call. */
export interface Choice extends Call {
  /** What the visitor reads. */
  label: string
  tool: string
  arguments: Record<string, string>
}

const seriesChoice = (label: string, id: string, range: string): Choice => ({
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
    path: '/v1/financials/NVDA',
    tool: 'get_financials',
    arguments: { symbol: 'NVDA' },
  },
]
