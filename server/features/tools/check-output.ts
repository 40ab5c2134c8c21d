import type { Cell, Table } from './define-tool.ts'
import type { RegisteredTool } from './register-tool.ts'

/**
 * The output in valid form: parsed by the tool's schema or, for tables, checked against the rules of `Table`. The table
 * check is written by hand because it runs over every cell of every metered answer; it accepts what `tableOutput`
 * accepts, and also rejects rows of the wrong length, a wrong row_count, NaN and Infinity. Throws on an invalid output.
 */
export function checkOutput({ tool }: RegisteredTool, output: unknown): unknown {
  if (tool.kind === 'value') return 'jsonSchema' in tool.output ? output : tool.output.parse(output)
  if (tool.kind === 'body') return output
  checkTable(tool.name, output as Table)
  return output
}

function checkTable(name: string, table: Table): void {
  const fail = (problem: string): never => {
    throw new Error(`Tool ${name} returned a faulty table: ${problem}`)
  }
  const { columns, meta, next_cursor: cursor } = table
  if (!Array.isArray(columns) || !columns.every((column) => typeof column === 'string')) fail('columns')
  if (!Array.isArray(meta?.warnings) || !meta.warnings.every((warning) => typeof warning === 'string'))
    fail('meta.warnings')
  if (cursor !== null && typeof cursor !== 'string') fail('next_cursor')
  if (table.stored) {
    // Numbers are checked once, where they are written.
    if (meta.row_count !== table.stored().count) fail('meta.row_count')
    return
  }
  const { rows } = table
  if (!Array.isArray(rows)) fail('rows')
  if (meta.row_count !== rows.length) fail('meta.row_count')
  const width = columns.length
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== width) fail('a row has another length than columns')
    for (const cell of row) if (!isCell(cell)) fail(`a cell is ${String(cell)}`)
  }
}

const isCell = (cell: Cell): boolean =>
  typeof cell === 'number'
    ? Number.isFinite(cell)
    : typeof cell === 'string' || cell === null || typeof cell === 'boolean'
