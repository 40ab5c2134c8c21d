import pg from 'pg'
import type { OnDemand } from '../manifest.ts'

type Place = Pick<OnDemand, 'query' | 'columns'>

const id = pg.escapeIdentifier
const prices = ['open', 'high', 'low', 'close'] as const

/** The operator's query as a table `b`. The line break ends a comment in its last line. */
const source = ({ query }: Place): string => `(${query.replace(/;\s*$/, '')}\n) b`

function columnsOf({ columns }: Place) {
  const value = (name: (typeof prices)[number]) => `b.${id(columns[name])}::float8`
  return {
    symbol: `b.${id(columns.symbol)}`,
    time: `b.${id(columns.date)}`,
    open: value('open'),
    high: value('high'),
    low: value('low'),
    close: value('close'),
    volume: columns.volume ? `coalesce(b.${id(columns.volume)}::float8, 0)` : '0::float8',
  }
}

/**
 * Bars of one symbol ($1) from one time to another ($2, $3), at most $4, as rows of numbers. The parameters have the types
 * of the columns, so that the database can use an index on them.
 */
export function barsText(place: Place): string {
  const { symbol, time, open, high, low, close, volume } = columnsOf(place)
  return `select extract(epoch from ${time})::float8, ${open}, ${high}, ${low}, ${close}, ${volume}
    from ${source(place)} where ${symbol} = $1 and ${time} >= $2 and ${time} <= $3 order by ${time} limit $4`
}

/** The same of days (UTC) made of minutes. */
export function daysText(place: Place): string {
  const { symbol, time, open, high, low, close, volume } = columnsOf(place)
  return `select extract(epoch from ${time}::date)::float8, (array_agg(${open} order by ${time}))[1], max(${high}), min(${low}),
      (array_agg(${close} order by ${time} desc))[1], sum(${volume})
    from ${source(place)} where ${symbol} = $1 and ${time} >= $2 and ${time} <= $3 group by ${time}::date order by ${time}::date limit $4`
}

/**
 * How many bars each symbol has in each block (a year of days, a month of minutes), its first and last time in seconds,
 * how many days, and how many rows break a rule: the same rules as for bars that are imported.
 */
export function outlineText(place: Place, interval: '1d' | '1m'): string {
  const { symbol, time, open, high, low, close, volume } = columnsOf(place)
  const block = `date_trunc('${interval === '1d' ? 'year' : 'month'}', ${time})`
  return `select ${symbol}::text as symbol, count(*)::int as bars, count(distinct ${time})::int as times,
      extract(epoch from min(${time}))::float8 as first, extract(epoch from max(${time}))::float8 as last,
      count(distinct ${time}::date)::int as days, count(*) filter (where mod(extract(epoch from ${time})::numeric, 60) <> 0)::int as odd,
      count(*) filter (where (${low} > 0 and ${low} <= least(${open}, ${close}) and ${high} >= greatest(${open}, ${close})
        and ${high} < 'infinity' and ${volume} >= 0 and ${volume} < 'infinity') is not true)::int as bad
    from ${source(place)} where ${time} is not null group by ${symbol}, ${block} order by ${symbol} collate "C", ${block}`
}

/** The columns' types, without rows. */
export const typesText = (place: Place): string => `select * from ${source(place)} limit 0`
