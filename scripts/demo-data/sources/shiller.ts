import { seriesTable } from '../dataset.ts'
import { parseTable } from '../rows.ts'

const columns = [
  ['US.SHILLER.PRICE', 'comp', 'sp500', 'S&P Composite, monthly average of daily closes', 'Index points'],
  ['US.SHILLER.DIVIDEND', 'dividend', 'dividend', 'S&P Composite dividends, twelve months', 'Index points a year'],
  ['US.SHILLER.EARNINGS', 'earnings', 'earnings', 'S&P Composite earnings, twelve months', 'Index points a year'],
  ['US.SHILLER.CPI', 'cpi', 'consumer price index', 'Consumer prices as used by Shiller', 'Index, 1982-84 = 100'],
  ['US.SHILLER.RATE10Y', 'lir', 'long interest rate', 'Long interest rate (10-year Treasury)', 'Percent'],
  ['US.SHILLER.CAPE', 'cape', 'pe10', 'Cyclically adjusted price-earnings ratio (ten years of real earnings)', 'Ratio'],
] as const
const aliasesOf: Record<string, string[]> = {
  'US.SHILLER.CAPE': ['CAPE', 'PE10'],
  'US.SHILLER.PRICE': ['SP500.MONTHLY'],
}

/** The S&P 500 and its predecessors by month from 1871, with Shiller's dividends, earnings and prices. */
export const shiller = seriesTable({
  id: 'us-shiller',
  name: 'S&P 500 by month since 1871: price, dividends, earnings, consumer prices, interest rate, CAPE',
  redistribution: 'demo-only',
  frequency: 'monthly',
  series: columns.map(([id, column, , name, unit]) => ({ id, column, name, unit, aliases: aliasesOf[id] ?? [] })),
  notes: [
    {
      text: 'The source has not published later months yet.',
      columns: columns.slice(1).map(([id]) => id),
    },
  ],
  sources: [{ package: 'shiller', path: 'sp500-monthly.csv', publisher: 'Robert J. Shiller, Yale University' }],
  read: ([text]) =>
    parseTable(text!, ',').map((month) => [
      month.date!,
      // The source writes 0.0 for a value that is not published.
      ...columns.map(([, , name]) => Number(Number(month[name]).toPrecision(10)) || null),
    ]),
})
