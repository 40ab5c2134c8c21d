import { Readable } from 'node:stream'
import type { StoredRows } from '../../tools/row-columns.ts'
import { takeTurn } from './export-turns.ts'
import { rowsText } from './rows-text.ts'
import { layoutOf } from './stored-text.ts'

/** Rows written at once: about 50 KB of CSV, which blocks other calls for less than a millisecond. */
const PIECE_ROWS = 1024

/**
 * `head` and then every row, produced as the reader consumes them: only a few pieces are in memory, whatever the number
 * of rows, and the work stops when the reader does. The text is not cached.
 */
export function streamRows(
  columns: readonly string[],
  { first, count, read }: StoredRows,
  format: 'csv' | 'ndjson',
  head: string,
): Readable {
  const { layout } = layoutOf(columns, format)
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(head)
    for (let from = 0; from < count; from += PIECE_ROWS) {
      const rows = Math.min(PIECE_ROWS, count - from)
      await takeTurn()
      yield rowsText(layout, read(first + from, first + from + rows), rows)
    }
  }
  return Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
}
