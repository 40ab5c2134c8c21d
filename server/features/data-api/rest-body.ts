import type { Readable } from 'node:stream'
import type { Cell, Table } from '../tools/define-tool.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { MOST_ROWS_AT_ONCE } from '../tools/rows/row-columns.ts'
import type { Format } from './rest-input.ts'
import { parquetBody } from './rows/parquet-body.ts'
import { storedText } from './rows/stored-text.ts'
import { streamRows } from './rows/stream-rows.ts'

export const PARQUET_TYPE = 'application/vnd.apache.parquet'

export interface RestBody {
  contentType: string
  /** A stream produces its rows on demand and holds only one piece of them. */
  content: string | Buffer | Readable
  /** For formats without a place for it in the body. */
  nextCursor: string | null
}

const JSON_TYPE = 'application/json; charset=utf-8'
const lineTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const

export const isLineFormat = (format: Format): format is keyof typeof lineTypes => format in lineTypes

/**
 * The successful answer in the requested format: `{data, meta, next_cursor}` with rows as objects (json) or arrays
 * (columns), CSV per RFC 4180, one JSON object per line, or Parquet. The fixed text around cells is prepared once per
 * table, because rows are most of the work of a data call.
 */
export function restBody({ tool }: RegisteredTool, output: unknown, format: Format): RestBody {
  if (tool.kind === 'value')
    return {
      contentType: JSON_TYPE,
      content: `{"data":${JSON.stringify(output)},"meta":{},"next_cursor":null}`,
      nextCursor: null,
    }
  const table = output as Table
  const nextCursor = table.next_cursor
  if (format === 'parquet') return { contentType: PARQUET_TYPE, content: parquetBody(table), nextCursor }
  if (isLineFormat(format)) return { contentType: lineTypes[format], content: lines(table, format), nextCursor }
  const [begin, end] =
    format === 'columns' ? [`{"columns":${JSON.stringify(table.columns)},"rows":[`, ']}'] : ['[', ']']
  const head = `{"data":${begin}`
  const tail = `${end},"meta":${JSON.stringify(table.meta)},"next_cursor":${JSON.stringify(nextCursor)}}`
  if (table.stored) {
    const content = storedText(table.columns, table.stored(), format, { head, tail })
    return { contentType: JSON_TYPE, content, nextCursor }
  }
  const rows = format === 'columns' ? table.rows.map((row) => JSON.stringify(row)).join(',') : objects(table, ',', '')
  return { contentType: JSON_TYPE, content: head + rows + tail, nextCursor }
}

function lines(table: Table, format: keyof typeof lineTypes): string | Buffer | Readable {
  const head = format === 'csv' ? `${table.columns.map(csvCell).join(',')}\r\n` : ''
  if (!table.stored) return format === 'csv' ? head + csvLines(table) : objects(table, '\n', '\n')
  const stored = table.stored()
  return stored.count > MOST_ROWS_AT_ONCE
    ? streamRows(table.columns, stored, format, head)
    : storedText(table.columns, stored, format, { head, tail: '' })
}

/** The text before each cell of an object. Most tools have the same columns in every answer. */
const startsOf = new WeakMap<readonly string[], string[]>()

function cellStarts(columns: readonly string[]): string[] {
  let starts = startsOf.get(columns)
  if (starts === undefined) {
    starts = columns.map((column, index) => `${index === 0 ? '{' : ','}${JSON.stringify(column)}:`)
    startsOf.set(columns, starts)
  }
  return starts
}

function objects({ columns, rows }: Table, between: string, end: string): string {
  const starts = cellStarts(columns)
  let text = ''
  for (const row of rows) {
    if (text !== '') text += between
    for (let index = 0; index < starts.length; index++) text += starts[index]! + jsonCell(row[index]!)
    text += starts.length === 0 ? '{}' : '}'
  }
  return rows.length === 0 ? '' : text + end
}

/** Numbers are finite here (`checkOutput`), so their text is JSON; only strings need escaping. */
const jsonCell = (cell: Cell): string =>
  typeof cell === 'string' ? JSON.stringify(cell) : cell === null ? 'null' : String(cell)

const csvLines = ({ rows }: Table): string => rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')

function csvCell(cell: Cell): string {
  if (typeof cell === 'number') return String(cell)
  if (cell === null) return ''
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
