import type { Cell } from '../define-tool.ts'

/**
 * How points in time are written. The text is ASCII, at most `MOST_TEXT` long, and needs no escaping in JSON or CSV.
 * `write` puts the same text into bytes and returns where it ends; it may overwrite up to three bytes after that.
 */
export interface TimeForm {
  text: (time: number) => string
  write: (view: DataView, at: number, time: number) => number
}

/** Points in time and how they are written. */
export interface TimeColumn {
  times: Int32Array
  form: TimeForm
}

/** A column of an answer in memory; numbers are finite. */
export type RowColumn = Float64Array | TimeColumn

export const MOST_TEXT = 32

/** More rows than this, in a line-based format, are streamed. */
export const MOST_ROWS_AT_ONCE = 10_000

/** The rows of an answer in columns: a range of `all` rows. Surfaces that write text need no more. */
export interface StoredRows {
  /**
   * An object whose identity implies unchanged rows, so that their text may be cached; null: created for this answer.
   */
  of: object | null
  /** Tells apart different readings of `of`, for instance its adjustments. */
  variant: string
  /** Index of the answer's first row among `all`. */
  first: number
  /** How many rows the answer has. */
  count: number
  all: number
  /** Rows `first` to `end` (exclusive) of `all`. */
  read: (first: number, end: number) => RowColumn[]
}

/** Rows `first` to `end` (exclusive) of the answer, one array each. */
export function rowsOf(stored: StoredRows, first: number, end: number): Cell[][] {
  const columns = stored.read(stored.first + first, stored.first + end)
  return Array.from({ length: end - first }, (_, row) =>
    columns.map((column) => (column instanceof Float64Array ? column[row]! : column.form.text(column.times[row]!))),
  )
}
