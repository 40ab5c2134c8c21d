import type { BarsSource } from '../dataset.ts'
import { parseTable } from '../rows.ts'

/** Bitcoin, one-minute bars for ten weeks of 2016. */
export const btcMinutes: BarsSource = {
  id: 'btc-minutes',
  symbol: 'BTC/USD',
  name: 'Bitcoin in US dollars',
  type: 'crypto',
  mic: null,
  timezone: 'Etc/UTC',
  aliases: ['BTCUSD', 'BTC-USD', 'XBTUSD', 'XBT/USD', 'BTC'],
  interval: '1m',
  basis: 'none',
  volumeBasis: 'none',
  adjustments: { none: '2016-02-09', splits: '2016-02-09', all: '2016-02-09' },
  notes: [
    { text: 'One venue (Bitfinex); minutes without a trade have no bar. Volume is in bitcoin.' },
    { text: 'Daily and longer bars are made from the minutes and follow UTC days; the first day begins at 20:51.' },
  ],
  sources: [{ package: 'stockcharts', path: 'docs/data/bitfinex_xbtusd_1m.csv', publisher: 'Bitfinex' }],
  read([text]) {
    const rows = parseTable(text!, ',').map((row) => ({
      date: `${row.date!.slice(0, 10)}T${row.date!.slice(11, 16)}Z`,
      open: Number(row.open),
      high: Number(row.high),
      low: Number(row.low),
      close: Number(row.close),
      volume: Number(row.volume),
    }))
    // The file repeats some minutes, a few of them out of order; the copies are equal.
    const byMinute = new Map(rows.map((row) => [row.date, row]))
    return [...byMinute.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
  },
}
