import { AppError } from '../../http/errors.ts'
import type { Table } from '../tools/define-tool.ts'
import { nearest } from '../tools/input/input-errors.ts'

/** The table with only these columns, in this order. Throws invalid_parameter listing the available columns. */
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
