import type { TableSource } from '../dataset.ts'

/** The Bureau published no index for October 2025; the package fills the month with the mean of its neighbors. */
const ESTIMATED = ['2025-10-01']

/** US consumer prices, monthly, not seasonally adjusted. */
export const cpi: TableSource = {
  id: 'us-cpi',
  name: 'US Consumer Price Index',
  dates: 0,
  manifest: {
    kind: 'series',
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
  },
  header: ['date', 'value', 'estimated'],
  notes: [{ text: 'October 2025 was not published; its value is the mean of its neighbors and is marked estimated.' }],
  sources: [{ package: 'cpi', path: 'dist/data.json', publisher: 'US Bureau of Labor Statistics (CUUR0000SA0)' }],
  read([text]) {
    const { firstYear, cpi: years } = JSON.parse(text!) as { firstYear: number; cpi: string[][] }
    return years.flatMap((months, year) =>
      months.map((value, month) => {
        const date = `${firstYear + year}-${String(month + 1).padStart(2, '0')}-01`
        return [date, Number(value), ESTIMATED.includes(date) ? 1 : null]
      }),
    )
  },
}
