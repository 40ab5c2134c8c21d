import type { Cell } from './define-tool.ts'

/**
 * How places in time are written. The text is ASCII, at most `MOST_TEXT` long, and needs no escaping in JSON or CSV; `write`
 * puts the same text into bytes and returns where it ends; it may spoil up to three bytes behind that.
 */
export interface TimeForm {
  text: (time: number) => string
  write: (view: DataView, at: number, time: number) => number
}

/** Places in time and how they are written. */
export interface TimeColumn {
  times: Int32Array
  form: TimeForm
}

/** A column of an answer as it lies in memory; numbers are finite. */
export type RowColumn = Float64Array | TimeColumn

export const MOST_TEXT = 32

/** More rows than this, in a format that goes line by line, are made while they are sent. */
export const MOST_ROWS_AT_ONCE = 10_000

/** The rows of an answer in columns: a stretch of `all` rows. Surfaces that write text need no more. */
export interface StoredRows {
  /** What does not change while it is the same object, so that text made of it may be kept; null: made for this answer. */
  of: object | null
  /** Tells apart what `of` can be read as, for instance its adjustments. */
  variant: string
  /** Place of the answer's first row among `all`. */
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
