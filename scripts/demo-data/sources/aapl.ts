import type { BarsSource } from '../dataset.ts'
import { type BarRow, barRows, parseTable, price } from '../rows.ts'
import { markSplits } from './splits.ts'

const JOINT = '2013-05-13'

/**
 * Apple, daily, split-adjusted as of 2018 (before the 4:1 split of 2020); two sources, joined at the start of the more
 * precise one.
 */
export const aapl: BarsSource = {
  id: 'aapl-daily',
  symbol: 'AAPL',
  name: 'Apple Inc.',
  type: 'stock',
  mic: 'XNAS',
  aliases: ['APPLE'],
  basis: 'splits',
  volumeBasis: 'splits',
  adjustments: { splits: '1980-12-12', none: JOINT, all: JOINT },
  notes: [
    { text: 'Split-adjusted as of 2018-05-11: the 4-for-1 split of August 2020 is not in these prices.' },
    {
      text: `Prices before ${JOINT} are rounded to cents after split adjustment, which is coarse for the early years.`,
      columns: ['open', 'high', 'low', 'close'],
      before: JOINT,
    },
  ],
  sources: [
    {
      package: 'stockcharts',
      path: 'docs/data/AAPL_full.tsv',
      publisher: 'presumably Yahoo! Finance',
      to: '2013-05-10',
    },
    { package: 'stockcharts', path: 'docs/data/AAPL-splithistory.json', publisher: 'not named' },
    { package: 'observable', path: 'aapl.csv', publisher: 'Yahoo! Finance', from: JOINT },
  ],
  read([early, splits, late]) {
    const adjusted = new Map(parseTable(late!, ',').map((row) => [row.date, price(row['adj close']!)]))
    const rows: BarRow[] = [
      ...barRows(parseTable(early!, '\t')).filter(({ date }) => date < JOINT),
      ...barRows(parseTable(late!, ',')).map((row) => ({ ...row, adjClose: adjusted.get(row.date)! })),
    ]
    return markSplits(rows, splits!)
  },
}
