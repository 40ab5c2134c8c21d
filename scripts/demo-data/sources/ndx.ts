import type { BarsSource } from '../dataset.ts'
import { barRows, parseTable } from '../rows.ts'

/** Nasdaq-100, daily. */
export const ndx: BarsSource = {
  id: 'ndx-daily',
  symbol: 'NDX',
  name: 'Nasdaq-100 Index',
  type: 'index',
  mic: null,
  aliases: ['^NDX', '.NDX', '$NDX', 'NASDAQ100', 'NASDAQ-100', 'NASDAQ 100'],
  basis: 'none',
  volumeBasis: 'none',
  adjustments: { none: '1985-11-01', splits: '1985-11-01', all: '1985-11-01' },
  notes: [
    { text: 'A price index: its level does not include dividends, and adjust does not change it.' },
    {
      text: 'The source does not state the unit of volume; by its size it is hundreds of shares.',
      columns: ['volume'],
    },
    {
      text: 'On most days before 2000 the source repeats the previous close as the open.',
      columns: ['open'],
      before: '2000-01-01',
    },
  ],
  sources: [{ package: 'dc', path: 'web/ndx.csv', publisher: 'not named' }],
  read([text]) {
    return barRows(parseTable(text!, ',').map((row) => ({ ...row, date: isoDate(row.date!) })))
  },
}

/** '11/01/1985' is 1985-11-01. */
function isoDate(text: string): string {
  const [month, day, year] = text.split('/')
  return `${year}-${month}-${day}`
}
