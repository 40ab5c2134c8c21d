import { Readable } from 'node:stream'
import { DataLease, NotInMemory } from '../../tools/rows/not-in-memory.ts'
import type { StoredRows } from '../../tools/rows/row-columns.ts'
import { takeTurn } from './export-turns.ts'
import { rowsText } from './rows-text.ts'
import { layoutOf } from './stored-text.ts'

/** Rows written at once: about 50 KB of CSV, which blocks other calls for less than a millisecond. */
const PIECE_ROWS = 1024
/** Read together with those of the next piece: a stream goes on to them, and one long read costs less than four. */
const BLOCKS_AHEAD = 3

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
    let lease = new DataLease()
    try {
      for (let from = 0; from < count; ) {
        const rows = Math.min(PIECE_ROWS, count - from)
        await takeTurn()
        try {
          yield rowsText(layout, read(first + from, first + from + rows), rows)
          from += rows
        } catch (error) {
          if (!(error instanceof NotInMemory)) throw error
          const next = new DataLease()
          await error.load(next, BLOCKS_AHEAD).finally(() => lease.releaseAsOld())
          lease = next
        }
      }
    } finally {
      lease.releaseAsOld()
    }
  }
  return Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
}
