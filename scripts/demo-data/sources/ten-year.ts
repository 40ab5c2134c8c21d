import { seriesTable } from '../dataset.ts'
import { parseTable } from '../rows.ts'

/** Yield of ten-year US Treasury notes, monthly. */
export const tenYear = seriesTable({
  id: 'us-10y-yield',
  name: 'US 10-year Treasury yield',
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
  sources: [
    { package: 'tenYear', path: 'us-10y-monthly.csv', publisher: 'Board of Governors of the Federal Reserve System' },
  ],
  read: ([text]) => parseTable(text!, ',').map(({ date, rate }) => [date!, Number(rate)]),
})
