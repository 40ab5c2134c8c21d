export interface ResultTable {
  columns: string[]
  rows: unknown[][]
}

export interface Series {
  name: string
  points: { at: Date; value: number }[]
}

/** The rows in a result of `tools/call` (`{columns, rows}` as Finmeter answers them), or null. */
export function readTable(data: unknown): ResultTable | null {
  const structured = (data as { structuredContent?: unknown } | null)?.structuredContent as
    | Partial<ResultTable>
    | undefined
  const { columns, rows } = structured ?? {}
  if (!Array.isArray(columns) || !columns.every((name) => typeof name === 'string')) return null
  if (!Array.isArray(rows) || !rows.every(Array.isArray) || rows.length === 0) return null
  return { columns, rows }
}

const dateColumns = ['date', 'time', 'at', 'timestamp']
const valueColumns = ['close', 'value', 'price', 'rate']
const minPoints = 3

/** A line over time, where the rows have dates and a number worth drawing; else null. */
export function seriesOf({ columns, rows }: ResultTable): Series | null {
  const when = columns.findIndex((name) => dateColumns.includes(name))
  const named = columns.findIndex((name) => valueColumns.includes(name))
  const what =
    named >= 0 ? named : columns.findIndex((_name, index) => index !== when && typeof rows[0]?.[index] === 'number')
  if (when < 0 || what < 0) return null
  const points = rows.flatMap((row) => {
    const at = new Date(String(row[when]))
    const value = row[what]
    return typeof value === 'number' && Number.isFinite(at.getTime()) ? [{ at, value }] : []
  })
  points.sort((a, b) => a.at.getTime() - b.at.getTime())
  return points.length < minPoints ? null : { name: columns[what]!, points }
}
