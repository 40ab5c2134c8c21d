import type { BarsSource } from '../dataset.ts'
import { barRows, parseTable } from '../rows.ts'

/** The source's last open outside the day's range is of 2006-02-08. */
const FIRST = '2006-02-09'

/** The volatility index of the S&P 500, daily. */
export const vix: BarsSource = {
  id: 'vix-daily',
  symbol: 'VIX',
  name: 'Cboe Volatility Index',
  type: 'index',
  mic: null,
  aliases: ['^VIX', '.VIX', '$VIX'],
  basis: 'none',
  volumeBasis: 'none',
  adjustments: { none: FIRST, splits: FIRST, all: FIRST },
  notes: [
    { text: 'An index of expected volatility, in percent a year: it has no volume, and adjust does not change it.' },
    {
      text: 'Earlier days are left out: before 2006-02-09, 47 opens of the source lie outside the range of their day.',
    },
  ],
  sources: [{ package: 'vix', path: 'vix-daily.csv', publisher: 'Cboe', from: FIRST }],
  read: ([text]) =>
    barRows(parseTable(text!, ',').map((row) => ({ ...row, volume: '0' }))).filter(({ date }) => date >= FIRST),
}
