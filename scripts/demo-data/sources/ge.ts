import type { BarsSource } from '../dataset.ts'
import { type BarRow, barRows, parseTable, price } from '../rows.ts'
import { markSplits } from './splits.ts'

/** General Electric, daily: raw prices, split history, and the publisher's fully adjusted close. */
export const ge: BarsSource = {
  id: 'ge-daily',
  symbol: 'GE',
  name: 'General Electric Company',
  type: 'stock',
  mic: 'XNYS',
  aliases: [],
  basis: 'none',
  volumeBasis: 'splits',
  adjustments: { none: '1962-01-02', splits: '1962-01-02', all: '1962-01-02' },
  notes: [
    {
      text: 'The source has no volume for 1962-11-09; its bar repeats the previous close.',
      columns: ['volume'],
      before: '1962-11-10',
    },
  ],
  sources: [
    { package: 'stockcharts', path: 'docs/data/GE.csv', publisher: 'presumably Yahoo! Finance' },
    { package: 'stockcharts', path: 'docs/data/GE-splithistory.json', publisher: 'not named' },
  ],
  read([bars, splits]) {
    const table = parseTable(bars!, ',')
    const adjusted = new Map(table.map((row) => [row.date, price(row['adj close']!)]))
    const rows: BarRow[] = barRows(table).map((row) => ({ ...row, adjClose: adjusted.get(row.date)! }))
    return markSplits(rows, splits!)
  },
}
