import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import type { Cell, Table } from '../../tools/define-tool.ts'

/** A table as a Parquet file: numbers as DOUBLE, flags as BOOLEAN, all else as STRING, all nullable; `meta` as JSON in the file's key-value metadata. */
export function parquetBody({ columns, rows, meta }: Table): Buffer {
  const columnData = columns.map((name, at) =>
    column(
      name,
      rows.map((row) => row[at]!),
    ),
  )
  const kvMetadata = [{ key: 'meta', value: JSON.stringify(meta) }]
  return Buffer.from(parquetWriteBuffer({ columnData, kvMetadata }))
}

function column(name: string, cells: Cell[]): ColumnSource {
  const kinds = new Set(cells.filter((cell) => cell !== null).map((cell) => typeof cell))
  const only = kinds.size === 1 ? [...kinds][0] : 'string'
  if (only === 'number') return { name, data: cells, type: 'DOUBLE', nullable: true }
  if (only === 'boolean') return { name, data: cells, type: 'BOOLEAN', nullable: true }
  return { name, data: cells.map((cell) => (cell === null ? null : String(cell))), type: 'STRING', nullable: true }
}
