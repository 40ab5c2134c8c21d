import { type ResultTable, readTable, type Series, seriesOf } from './read-table.ts'

/** Several symbols over one period, all starting at 100. */
export interface Comparison {
  /** The shared period, YYYY-MM-DD. */
  from: string
  to: string
  members: Member[]
}

export interface Member {
  symbol: string
  first: number
  last: number
  /** Percent from start to end. */
  changePercent: number
  /** Start = 100, on the dates of the member with the fewest. Empty if only the ends are known. */
  points: { at: Date; value: number }[]
}

const dayMs = 86_400_000

/** Aligns the results of one call for each symbol; null if they share no period, or start at zero or below. */
export function compareResults(results: readonly unknown[]): Comparison | null {
  const all = results.map((result) => {
    const table = readTable(result)
    const series = table && seriesOf(table)
    return series ? { symbol: symbolOf(result) ?? series.name, points: series.points } : null
  })
  if (all.length < 2 || !all.every((one) => one !== null)) return null
  const from = Math.max(...all.map(({ points }) => points[0]!.at.getTime()))
  const to = Math.min(...all.map(({ points }) => points.at(-1)!.at.getTime()))
  const inside = all.map(({ points }) => points.filter(({ at }) => at.getTime() >= from && at.getTime() <= to))
  const fewest = inside.toSorted((a, b) => a.length - b.length)[0]!
  if (fewest.length < 2) return null
  const dates = fewest.map(({ at }) => at)
  const members = all.map(({ symbol, points }) => {
    const values = dates.map((at) => valueAt(points, at))
    const [first, last] = [values[0]!, values.at(-1)!]
    return {
      symbol,
      first,
      last,
      changePercent: 100 * (last / first - 1),
      points: values.map((value, index) => ({ at: dates[index]!, value: (100 * value) / first })),
    }
  })
  if (members.some(({ first }) => first <= 0)) return null
  return { from: iso(dates[0]!), to: iso(dates.at(-1)!), members }
}

/** The comparison in a result of summarize_prices; null if its periods differ. */
export function comparisonIn({ columns, rows }: ResultTable): Comparison | null {
  const needed = ['symbol', 'from', 'to', 'first', 'last', 'return_percent']
  if (rows.length < 2 || !needed.every((name) => columns.includes(name))) return null
  const at = (row: readonly unknown[], name: string) => row[columns.indexOf(name)]
  const ends = (name: string) => rows.map((row) => Date.parse(String(at(row, name))) / dayMs)
  const [starts, stops] = [ends('from'), ends('to')]
  // Exchanges have different holidays.
  if (Math.max(...starts) - Math.min(...starts) > 5 || Math.max(...stops) - Math.min(...stops) > 5) return null
  return {
    from: String(at(rows[0]!, 'from')),
    to: String(at(rows[0]!, 'to')),
    members: rows.map((row) => ({
      symbol: String(at(row, 'symbol')),
      first: Number(at(row, 'first')),
      last: Number(at(row, 'last')),
      changePercent: Number(at(row, 'return_percent')),
      points: [],
    })),
  }
}

/** The last value on or before `at`. */
function valueAt(points: Series['points'], at: Date): number {
  let value = points[0]!.value
  for (const point of points) {
    if (point.at > at) break
    value = point.value
  }
  return value
}

/** The symbol that a result says it is about; null if it does not say. */
export function symbolOf(result: unknown): string | null {
  const { symbol, series_id } =
    (result as { structuredContent?: { meta?: Record<string, unknown> } } | null)?.structuredContent?.meta ?? {}
  const name = symbol ?? series_id
  return typeof name === 'string' ? name : null
}

const iso = (at: Date) => at.toISOString().slice(0, 10)
