export interface ResultTable {
  columns: string[]
  rows: unknown[][]
}

export interface Series {
  name: string
  points: { at: Date; value: number }[]
}

/** What a server says about its rows. */
export interface Meta {
  symbol?: unknown
  series_id?: unknown
  name?: unknown
  unit?: unknown
  frequency?: unknown
  currency?: unknown
  warnings?: unknown
}

type Fields = Record<string, unknown>
const maxColumns = 50

/**
 * The rows of a `tools/call` result, or null. Accepts our `{columns, rows}`, and from REST and other servers a list of
 * objects, alone or as the only list of an object, or an object of plain values; as structured content or as the text of
 * the only block.
 */
export function readTable(data: unknown): ResultTable | null {
  const { structuredContent, content } = fieldsOf(data) ?? {}
  const structured = structuredContent ?? jsonOf(content)
  const { columns, rows } = fieldsOf(structured) ?? {}
  if (Array.isArray(columns) && columns.every((name) => typeof name === 'string')) {
    if (!Array.isArray(rows) || !rows.every(Array.isArray) || rows.length === 0) return null
    return { columns, rows }
  }
  const lists = Array.isArray(structured)
    ? [structured]
    : Object.values(fieldsOf(structured) ?? {}).filter(Array.isArray)
  return (lists.length === 1 ? tableOf(lists[0]!) : null) ?? factsOf(structured)
}

const maxFacts = 60

/** An object as a table with one line for each value; null if a list of objects is in it, or nothing. */
function factsOf(structured: unknown): ResultTable | null {
  const whole = fieldsOf(structured)
  const facts = whole && factRows(fieldsOf(whole.data) ?? whole)
  return facts && facts.length > 0 && facts.length <= maxFacts ? { columns: ['field', 'value'], rows: facts } : null
}

function factRows(fields: Fields, before = ''): unknown[][] | null {
  const rows = Object.entries(fields).map(([name, value]): unknown[][] | null => {
    const inner = fieldsOf(value)
    // The warnings have a place of their own.
    if (name === 'warnings' || (inner && Object.keys(inner).length === 0)) return []
    if (inner) return before === '' ? factRows(inner, `${name}_`) : null
    if (!Array.isArray(value)) return [[before + name, value]]
    return value.some((item) => typeof item === 'object') ? null : [[before + name, value.join(', ')]]
  })
  return rows.every((some) => some !== null) ? rows.flat() : null
}

function tableOf(list: unknown[]): ResultTable | null {
  const objects = list.map(fieldsOf)
  if (list.length === 0 || !objects.every((one) => one !== null)) return null
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))].slice(0, maxColumns)
  return { columns, rows: objects.map((one) => columns.map((name) => one[name])) }
}

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

function jsonOf(content: unknown): unknown {
  const text = Array.isArray(content) && content.length === 1 ? fieldsOf(content[0])?.text : undefined
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const dateColumns = ['date', 'time', 'at', 'timestamp', 'day', 'datetime']
export const valueColumns = ['close', 'value', 'price', 'rate']
const minPoints = 3

/** A line over time, if the rows have dates and a useful number; else null. */
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

/** A price bar. */
export interface Bar {
  at: Date
  open: number
  high: number
  low: number
  close: number
}

/** With more candles than this, each would be thinner than its outline. */
const maxBars = 200

/** The rows as price bars, if they have open, high, low and close and are few enough to draw; else null. */
export function barsOf({ columns, rows }: ResultTable): Bar[] | null {
  const when = columns.findIndex((name) => dateColumns.includes(name))
  const places = (['open', 'high', 'low', 'close'] as const).map((name) => columns.indexOf(name))
  if (when < 0 || places.includes(-1) || rows.length < minPoints || rows.length > maxBars) return null
  const bars = rows.flatMap((row) => {
    const at = new Date(String(row[when]))
    const [open, high, low, close] = places.map((place) => row[place])
    const numbers = [open, high, low, close].every((value) => typeof value === 'number')
    return numbers && Number.isFinite(at.getTime()) ? [{ at, open, high, low, close } as Bar] : []
  })
  return bars.length === rows.length ? bars.toSorted((a, b) => a.at.getTime() - b.at.getTime()) : null
}

/** What a result says about its rows. Companies have their warnings beside their fields. */
export function metaOf(data: unknown): Meta {
  const structured = fieldsOf(fieldsOf(data)?.structuredContent)
  return { warnings: (fieldsOf(structured?.data) ?? structured)?.warnings, ...fieldsOf(structured?.meta) }
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
