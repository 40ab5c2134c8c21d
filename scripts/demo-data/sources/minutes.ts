import type { BarsSource } from '../dataset.ts'
import { type BarRow, parseTable } from '../rows.ts'

/** One-minute bars of 21 sessions in spring 2016. The source stamps a bar with the end of its minute. */
function minutes(symbol: string, name: string): BarsSource {
  return {
    id: `${symbol.toLowerCase()}-minutes`,
    symbol,
    name,
    type: 'stock',
    mic: 'XNAS',
    aliases: [],
    interval: '1m',
    basis: 'none',
    volumeBasis: 'none',
    adjustments: { none: '2016-04-15', splits: '2016-04-15' },
    notes: [
      {
        text: 'Bars are dated by the minute in which they opened (the source stamps its end); the opening auction is part of the first bar of a session.',
      },
    ],
    sources: [
      {
        package: 'stockcharts',
        path: `docs/data/${symbol}_INTRA_DAY.tsv`,
        publisher: 'Google Finance',
      },
    ],
    read: ([text]) =>
      joinAuctions(
        parseTable(text!, '\t').map((row) => ({
          date: minuteText(Number(row.date) - MS_PER_MINUTE),
          open: Number(row.open),
          high: Number(row.high),
          low: Number(row.low),
          close: Number(row.close),
          volume: Number(row.volume),
        })),
      ),
  }
}

const MS_PER_MINUTE = 60_000

const minuteText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`

/** A session's first row contains only the opening auction and is dated a minute before the session. */
function joinAuctions(rows: BarRow[]): BarRow[] {
  const joined: BarRow[] = []
  for (const [index, row] of rows.entries()) {
    const auction = rows[index - 1]
    if (auction?.date.endsWith('T13:29Z') && auction.date.slice(0, 10) === row.date.slice(0, 10)) {
      const high = Math.max(auction.high, row.high)
      const low = Math.min(auction.low, row.low)
      joined.push({ ...row, open: auction.open, high, low, volume: auction.volume + row.volume })
    } else if (!row.date.endsWith('T13:29Z')) joined.push(row)
  }
  return joined
}

export const aaplMinutes = minutes('AAPL', 'Apple Inc.')
export const msftMinutes = minutes('MSFT', 'Microsoft Corporation')
