import type { Cell, Table } from './define-tool.ts'
import { parquetBody } from './parquet-body.ts'
import type { RegisteredTool } from './registry.ts'
import type { Format } from './rest-input.ts'

export const PARQUET_TYPE = 'application/vnd.apache.parquet'

export interface RestBody {
  contentType: string
  content: string | Buffer
  /** For formats that have no place for it in the body. */
  nextCursor: string | null
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * The successful answer in the form asked for: `{data, meta, next_cursor}` with rows as objects (json) or as arrays
 * (columns), CSV by RFC 4180, one JSON object a line, or Parquet. Text is built from parts that are written once per table,
 * because rows are most of the work of a data call.
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
  if (format === 'csv')
    return { contentType: 'text/csv; charset=utf-8; header=present', content: csv(table), nextCursor }
  if (format === 'ndjson')
    return { contentType: 'application/x-ndjson; charset=utf-8', content: objects(table, '\n', '\n'), nextCursor }
  if (format === 'parquet') return { contentType: PARQUET_TYPE, content: parquetBody(table), nextCursor }
  const data =
    format === 'columns'
      ? `{"columns":${JSON.stringify(table.columns)},"rows":${JSON.stringify(table.rows)}}`
      : `[${objects(table, ',', '')}]`
  return {
    contentType: JSON_TYPE,
    content: `{"data":${data},"meta":${JSON.stringify(table.meta)},"next_cursor":${JSON.stringify(nextCursor)}}`,
    nextCursor,
  }
}

function objects({ columns, rows }: Table, between: string, end: string): string {
  const starts = columns.map((column, index) => `${index === 0 ? '{' : ','}${JSON.stringify(column)}:`)
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

function csv({ columns, rows }: Table): string {
  const lines = [columns.map(csvCell).join(',')]
  for (const row of rows) lines.push(row.map(csvCell).join(','))
  return `${lines.join('\r\n')}\r\n`
}

function csvCell(cell: Cell): string {
  if (typeof cell === 'number') return String(cell)
  if (cell === null) return ''
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
