import { seriesTable } from '../dataset.ts'
import { parseTable } from '../rows.ts'

/** US consumer prices, monthly, not seasonally adjusted. */
export const cpi = seriesTable({
  id: 'us-cpi',
  name: 'US Consumer Price Index',
  frequency: 'monthly',
  series: [
    {
      id: 'US.CPI',
      column: 'value',
      name: 'US Consumer Price Index, all urban consumers (CPI-U), all items, not seasonally adjusted',
      unit: 'Index, 1982-84 = 100',
      aliases: ['CPI', 'CPIAUCNS', 'CUUR0000SA0'],
    },
  ],
  notes: [{ text: 'October 2025 is absent: the Bureau published no index for that month.' }],
  sources: [{ package: 'cpi', path: 'us-cpi-monthly.csv', publisher: 'US Bureau of Labor Statistics (CUUR0000SA0)' }],
  read: ([text]) => parseTable(text!, ',').map(({ date, index }) => [date!, Number(index)]),
})
