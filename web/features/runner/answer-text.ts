type Row = Record<string, unknown>

/** The rows of a response of the Data API, or null. */
export function rowsOf(body: unknown): Row[] | null {
  const data = (body as { data?: unknown } | null)?.data
  return Array.isArray(data) && data.length > 0 && data.every((row) => typeof row === 'object' && row !== null)
    ? (data as Row[])
    : null
}

/** JSON with one row per line, as people read tables. */
export function answerText(body: unknown): string {
  const rows = rowsOf(body)
  if (!rows) return JSON.stringify(body, null, 2)
  const { data: _, ...rest } = body as Row
  const [, ...tail] = JSON.stringify(rest, null, 2).split('\n')
  const lines = rows.map((row) => `    ${inline(row)}`)
  return ['{', '  "data": [', lines.join(',\n'), '  ],', ...tail].join('\n')
}

const inline = (row: Row) =>
  `{ ${Object.entries(row)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ')} }`

export interface Point {
  date: string
  value: number
}

/** The dated values of a response for a line: column `close` or `value`. Null with fewer than three. */
export function pointsOf(body: unknown): Point[] | null {
  const points = (rowsOf(body) ?? []).flatMap((row) => {
    const value = row.close ?? row.value
    const date = row.date ?? row.time
    return typeof value === 'number' && typeof date === 'string' ? [{ date: date.slice(0, 10), value }] : []
  })
  return points.length < 3 ? null : points
}
