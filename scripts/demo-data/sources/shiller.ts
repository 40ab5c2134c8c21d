import type { TableSource } from '../dataset.ts'

interface Month {
  year: number
  month: number
  comp: number | null
  dividend: number | null
  earnings: number | null
  cpi: number | null
  lir: number | null
  cape: number | null
}

const columns = [
  ['US.SHILLER.PRICE', 'comp', 'S&P Composite, monthly average of daily closes', 'Index points'],
  ['US.SHILLER.DIVIDEND', 'dividend', 'S&P Composite dividends, twelve months', 'Index points a year'],
  ['US.SHILLER.EARNINGS', 'earnings', 'S&P Composite earnings, twelve months', 'Index points a year'],
  ['US.SHILLER.CPI', 'cpi', 'Consumer prices as used by Shiller', 'Index, 1982-84 = 100'],
  ['US.SHILLER.RATE10Y', 'lir', 'Long interest rate (10-year Treasury)', 'Percent'],
  ['US.SHILLER.CAPE', 'cape', 'Cyclically adjusted price-earnings ratio (ten years of real earnings)', 'Ratio'],
] as const

/** Shiller's long history of US stocks, monthly from 1871. */
export const shiller: TableSource = {
  id: 'us-shiller',
  name: 'US stocks 1871 to 2023: price, dividends, earnings, consumer prices, interest rate, CAPE',
  dates: 0,
  manifest: {
    kind: 'series',
    frequency: 'monthly',
    series: columns.map(([id, column, name, unit]) => ({
      id,
      column,
      name,
      unit,
      aliases: id === 'US.SHILLER.CAPE' ? ['CAPE', 'PE10'] : [],
    })),
  },
  header: ['date', ...columns.map(([, column]) => column)],
  notes: [{ text: 'The last month is provisional; dividends and earnings for the last few months are missing.' }],
  sources: [{ package: 'shiller', path: 'data.json', publisher: 'Robert J. Shiller, Yale University (ie_data)' }],
  read: ([text]) =>
    (JSON.parse(text!) as Month[]).map((month) => [
      `${month.year}-${String(month.month).padStart(2, '0')}-01`,
      ...columns.map(([, column]) => {
        const value = month[column]
        return value === null || value === undefined ? null : Number(value.toPrecision(10))
      }),
    ]),
}
