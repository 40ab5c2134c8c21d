import { AppError } from '../../http/errors.ts'
import type { Table } from './define-tool.ts'
import { nearest } from './parse-input.ts'

/** The table with these columns only, in this order. Throws invalid_parameter naming the columns that there are. */
export function projectColumns(table: Table, names: readonly string[]): Table {
  const places = names.map((name) => {
    const at = table.columns.indexOf(name)
    if (at === -1)
      throw new AppError(
        'invalid_parameter',
        `columns: there is no column "${name.slice(0, 60)}". Known: ${table.columns.join(', ')}.`,
        { param: 'columns', allowed: table.columns, ...nearest(name, table.columns) },
      )
    return at
  })
  return {
    ...table,
    stored: undefined,
    columns: [...names],
    rows: table.rows.map((row) => places.map((at) => row[at]!)),
  }
}
