/** One call: a REST path, or a tool and its arguments over MCP. */
export type Ask = string | { tool: string; arguments: object }

/** A program that uses one key of the demo account. */
export interface Robot {
  /** Its key. */
  name: string
  /** The day of the history on which its key is created. */
  since: number
  /** The user agent, or the name that an MCP client gives itself. */
  client: string
  /** Hours of the day, UTC, and calls in each on a weekday of the last weeks. */
  hours: number[]
  calls: number
  /** Works on weekends, too. */
  daily?: true
  asks: Ask[]
  /** Calls made now and then that are refused: their names do not exist on this server. */
  wrong?: Ask
}

const series = (id: string, range: string): Ask => ({
  tool: 'get_economic_series',
  arguments: { series_id: id, range },
})

export const robots: Robot[] = [
  {
    name: 'Nightly rebalancing',
    since: 0,
    client: 'python-httpx/0.28.1',
    hours: [2],
    calls: 30,
    daily: true,
    asks: [
      '/v1/bars/VIX?range=max&limit=10000',
      '/v1/series/OIL.WTI?range=max&limit=5000',
      '/v1/series/US.RATE10Y?range=max',
      '/v1/series/OIL.BRENT?range=5y',
      '/v1/series/GOLD.USD?range=max&limit=5000',
    ],
  },
  {
    name: 'Claude Desktop',
    since: 1,
    client: 'claude-ai',
    hours: [9, 15, 20],
    calls: 7,
    daily: true,
    asks: [
      series('OIL.WTI', '1y'),
      series('GOLD.USD', '5y'),
      series('US.CPI', '5y'),
      { tool: 'summarize_prices', arguments: { symbols: ['SPX', 'NDX', 'VIX'], range: 'max' } },
      { tool: 'get_fx_rates', arguments: { base: 'USD' } },
    ],
    wrong: series('US.GDP', '5y'),
  },
  {
    name: 'Research notebook',
    since: 6,
    client: 'python-requests/2.32.5',
    hours: [10, 14],
    calls: 12,
    asks: [
      '/v1/series/US.CPI?range=max&limit=5000',
      '/v1/series/US.RATE10Y?range=5y',
      '/v1/indicators/VIX?name=rsi',
      '/v1/series/GAS.HENRYHUB?range=5y',
      '/v1/summary?symbols=SPX,NDX,VIX&range=max',
    ],
    wrong: '/v1/series/US.RATE2Y?range=5y',
  },
  {
    name: 'Treasury workbook',
    since: 12,
    client: 'Excel-PowerQuery/2.140',
    hours: [7, 16],
    calls: 9,
    asks: [
      '/v1/fx?base=USD',
      '/v1/fx/convert?from=USD&to=EUR&amount=250000',
      '/v1/series/FX.USDEUR?range=5y&format=csv',
      '/v1/series/FX.USDJPY?range=1y&format=csv',
    ],
  },
  {
    name: 'Cursor',
    since: 25,
    client: 'cursor-vscode',
    hours: [11, 17],
    calls: 5,
    asks: [
      series('OIL.BRENT', '1y'),
      series('US.RATE10Y', '5y'),
      { tool: 'search_symbols', arguments: { query: 'oil' } },
    ],
    wrong: { tool: 'get_bars', arguments: { symbol: 'WTI' } },
  },
  {
    name: 'Risk dashboard',
    since: 33,
    client: 'Go-http-client/2.0',
    hours: [8, 12, 18],
    calls: 10,
    daily: true,
    asks: [
      '/v1/summary?symbols=SPX,NDX,VIX,GE&range=max',
      '/v1/series/OIL.WTI?range=1mo',
      '/v1/indicators/VIX?name=macd',
      '/v1/bars/VIX?range=1y',
    ],
    wrong: '/v1/quotes?symbols=VIX3M',
  },
  { name: 'CI', since: 48, client: 'curl/8.14.1', hours: [13], calls: 6, asks: ['/v1/series/US.CPI?range=1y'] },
]
