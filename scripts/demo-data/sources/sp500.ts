import type { BarsSource } from '../dataset.ts'
import { barRows, parseTable } from '../rows.ts'

const JOINT = '2000-01-03'

/** S&P 500, daily, two sources joined at the first session of 2000; they agree on all 3,881 common days. */
export const sp500: BarsSource = {
  id: 'spx-daily',
  symbol: 'SPX',
  name: 'S&P 500 Index',
  type: 'index',
  mic: null,
  aliases: ['^GSPC', 'GSPC', '^SPX', '.SPX', '$SPX', '.INX', 'INX', 'SP500', 'S&P500', 'S&P 500'],
  basis: 'none',
  volumeBasis: 'none',
  adjustments: { none: '1950-01-03', splits: '1950-01-03', all: '1950-01-03' },
  notes: [
    { text: 'A price index: its level does not include dividends, and adjust does not change it.' },
    {
      text: 'Until 1961-12-29 the source holds closing levels only: open, high and low repeat the close.',
      columns: ['open', 'high', 'low'],
      before: '1962-01-02',
    },
    {
      text: 'On most days before 2014 the source repeats the previous close as the open.',
      columns: ['open'],
      before: '2014-01-01',
    },
  ],
  sources: [
    { package: 'stockcharts', path: 'docs/data/SP500.csv', publisher: 'presumably Yahoo! Finance', to: '1999-12-31' },
    { package: 'vega', path: 'data/sp500-2000.csv', publisher: 'Yahoo! Finance', from: JOINT },
  ],
  read: ([early, late]) => [
    ...barRows(parseTable(early!, ',')).filter(({ date }) => date < JOINT),
    ...barRows(parseTable(late!, ',')),
  ],
}
