import type { BarsSource } from '../dataset.ts'
import { type BarRow, barRows, parseTable } from '../rows.ts'

/** Microsoft, daily, fully adjusted as published, with its splits and dividends, from which raw prices are computed. */
export const msft: BarsSource = {
  id: 'msft-daily',
  symbol: 'MSFT',
  name: 'Microsoft Corporation',
  type: 'stock',
  mic: 'XNAS',
  aliases: ['MICROSOFT'],
  basis: 'all',
  volumeBasis: 'splits',
  adjustments: { none: '1986-03-13', splits: '1986-03-13', all: '1986-03-13' },
  notes: [
    {
      text: 'adjust=none and splits are computed from fully adjusted prices by undoing dividends; before 2003 they can be off by 0.001 %.',
      columns: ['open', 'high', 'low', 'close'],
      before: '2003-02-18',
    },
  ],
  sources: [{ package: 'stockcharts', path: 'docs/data/MSFT_full.tsv', publisher: 'presumably Yahoo! Finance' }],
  read([text]) {
    const table = parseTable(text!, '\t')
    const events = new Map(table.filter((row) => row.split || row.dividend).map((row) => [row.date, row]))
    return barRows(table).map((row): BarRow => {
      const event = events.get(row.date)
      return {
        ...row,
        ...(event?.split && { split: ratio(event.split) }),
        ...(event?.dividend && { dividend: Number(event.dividend.replace('$', '')) }),
      }
    })
  },
}

/** '3:2' is 1.5 new shares for one old share. */
function ratio(text: string): number {
  const [after, before] = text.split(':').map(Number)
  if (!after || !before) throw new Error(`Not a split ratio: "${text}"`)
  return after / before
}
