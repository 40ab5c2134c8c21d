import type { Table } from '../tools/define-tool.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

interface Request {
  limit: number
  cursor?: string | undefined
}

export interface Page<Row> {
  rows: readonly Row[]
  /** Facts for `meta`: the total number of rows, and whether some are omitted. */
  counts: { row_count: number; total_rows: number; truncated: boolean }
  /** Describes the position of the page; empty when it is everything. */
  warnings: string[]
  paging: Pick<Table, 'next_cursor' | 'cursorAt'>
}

/**
 * One page of an in-memory result. The cursor is tied to the data version and to all of `request` except `limit`.
 * Throws invalid_parameter or cursor_expired for a cursor of another request or version.
 */
export function pageOf<Row>(all: readonly Row[], request: Request, dataVersion: string): Page<Row> {
  const { limit, cursor, ...parameters } = request
  const scope = { datasetVersion: dataVersion, parameters }
  const first = cursor === undefined ? 0 : decodeCursor(cursor, scope)
  const rows = all.slice(first, first + limit)
  const end = first + rows.length
  const cursorAt = (count: number) => encodeCursor(scope, first + count)
  const truncated = end < all.length
  return {
    rows,
    counts: { row_count: rows.length, total_rows: all.length, truncated },
    warnings: truncated
      ? [`Rows ${first + 1} to ${end} of ${all.length}. Continue with next_cursor, or raise limit.`]
      : [],
    paging: { next_cursor: truncated ? cursorAt(rows.length) : null, cursorAt },
  }
}
