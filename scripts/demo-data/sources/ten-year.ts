import type { TableSource } from '../dataset.ts'
import { parseTable } from '../rows.ts'

/** Yield of ten-year US Treasury notes, monthly. */
export const tenYear: TableSource = {
  id: 'us-10y-yield',
  name: 'US 10-year Treasury yield',
  dates: 0,
  manifest: {
    kind: 'series',
    frequency: 'monthly',
    series: [
      {
        id: 'US.RATE10Y',
        column: 'value',
        name: 'US Treasury yield, constant maturity of ten years, monthly average',
        unit: 'Percent',
        aliases: ['10Y', 'GS10'],
      },
    ],
  },
  header: ['date', 'value'],
  notes: [],
  sources: [
    { package: 'tenYear', path: 'us-10y-monthly.csv', publisher: 'Board of Governors of the Federal Reserve System' },
  ],
  read: ([text]) => parseTable(text!, ',').map(({ date, rate }) => [date!, Number(rate)]),
}
