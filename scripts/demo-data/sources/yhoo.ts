import type { BarsSource } from '../dataset.ts'
import { type BarRow, barRows, parseTable, price } from '../rows.ts'

/** Split ratios that companies really use; each jump of the adjusted price is matched to the nearest. */
const ratios = [1.5, 2, 3]
const NOISE = 0.02

/**
 * Yahoo! Inc., daily: raw prices and the publisher's adjusted close, whose jumps reveal the splits (it paid no
 * dividend).
 */
export const yhoo: BarsSource = {
  id: 'yhoo-daily',
  symbol: 'YHOO',
  name: 'Yahoo! Inc.',
  type: 'stock',
  mic: 'XNAS',
  aliases: ['YAHOO'],
  basis: 'none',
  volumeBasis: 'splits',
  adjustments: { none: '1996-04-12', splits: '1996-04-12', all: '1996-04-12' },
  notes: [{ text: 'Splits are read from the jumps between raw and adjusted close. Delisted in 2017.' }],
  sources: [{ package: 'stockcharts', path: 'docs/data/table.csv', publisher: 'presumably Yahoo! Finance' }],
  read([text]) {
    const table = parseTable(text!, ',')
    const adjusted = new Map(table.map((row) => [row.date, price(row['adj close']!)]))
    const rows: BarRow[] = barRows(table).map((row) => ({ ...row, adjClose: adjusted.get(row.date)! }))
    for (let i = 1; i < rows.length; i++) {
      const before = rows[i - 1]!.close / rows[i - 1]!.adjClose!
      const jump = before / (rows[i]!.close / rows[i]!.adjClose!)
      if (Math.abs(jump - 1) < NOISE) continue
      const split = ratios.find((ratio) => Math.abs(jump / ratio - 1) < NOISE)
      if (!split) throw new Error(`YHOO ${rows[i]!.date}: adjusted prices jump by ${jump}`)
      rows[i]!.split = split
    }
    return rows
  },
}
