import type { Cell, Table } from '../../tools/define-tool.ts'
import { type RowColumn, rowsOf } from '../../tools/rows/row-columns.ts'

/** Maximum value of `precision`; a double holds no more decimals of a price. */
export const MOST_DECIMALS = 12

/** The table with its numbers rounded to `decimals`; numbers with fewer stay as they are. */
export function roundTable(table: Table, decimals: number): Table {
  const round = (value: number) => (Number.isInteger(value) ? value : Number(value.toFixed(decimals)))
  const { columns, meta, next_cursor, cursorAt } = table
  const roundCell = (value: Cell): Cell => (typeof value === 'number' ? round(value) : value)
  if (!table.stored) return { ...table, rows: table.rows.map((row) => row.map(roundCell)) }
  const held = table.stored()
  const stored = {
    ...held,
    variant: `${held.variant} to ${decimals}`,
    read: (first: number, end: number): RowColumn[] =>
      held.read(first, end).map((column) => (column instanceof Float64Array ? column.map(round) : column)),
  }
  let rows: Cell[][] | undefined
  return {
    columns,
    get rows() {
      rows ??= rowsOf(stored, 0, stored.count)
      return rows
    },
    meta,
    next_cursor,
    cursorAt,
    stored: () => stored,
  }
}
