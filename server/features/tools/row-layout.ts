import { MOST_TEXT, type RowColumn } from './row-columns.ts'
import { LONGEST_NUMBER, writeAscii, writeNumber } from './write-number.ts'

/** How one row is written in a format: what stands before each cell and after the last, and around texts. */
export interface RowLayout {
  starts: Uint8Array[]
  end: Uint8Array
  quote: string
  /** Most bytes of a row. */
  most: number
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))

/** Rows as JSON objects, each followed by `after`. */
export const objectLayout = (columns: readonly string[], after: string): RowLayout =>
  layout(
    columns.map((column, index) => `${index === 0 ? '{' : ','}${JSON.stringify(column)}:`),
    `}${after}`,
    '"',
  )

/** Rows as JSON arrays, each followed by a comma. */
export const arrayLayout = (columns: readonly string[]): RowLayout =>
  layout(
    columns.map((_, index) => (index === 0 ? '[' : ',')),
    '],',
    '"',
  )

/** Rows as lines of CSV. */
export const csvLayout = (columns: readonly string[]): RowLayout =>
  layout(
    columns.map((_, index) => (index === 0 ? '' : ',')),
    '\r\n',
    '',
  )

function layout(starts: string[], end: string, quote: string): RowLayout {
  const fixed = Buffer.byteLength(starts.join('') + end)
  return {
    starts: starts.map(bytesOf),
    end: bytesOf(end),
    quote,
    most: fixed + starts.length * (Math.max(LONGEST_NUMBER, MOST_TEXT) + 2),
  }
}

let scratch = new Uint8Array(0)

/** The text of `count` rows; `ends`, where given, gets the end of each. Throws on a number that is not finite. */
export function rowsText(
  layout: RowLayout,
  columns: readonly RowColumn[],
  count: number,
  ends?: Uint32Array,
): Buffer<ArrayBuffer> {
  if (scratch.length < count * layout.most) scratch = new Uint8Array(count * layout.most)
  const size = writeRows(layout, columns, count, scratch, ends)
  // Of its own: a slice of the shared pool, if it is kept, would keep the whole pool alive.
  const bytes = Buffer.allocUnsafeSlow(size)
  bytes.set(scratch.subarray(0, size))
  return bytes
}

function writeRows(
  layout: RowLayout,
  columns: readonly RowColumn[],
  count: number,
  bytes: Uint8Array,
  ends: Uint32Array | undefined,
): number {
  const { starts, end, quote } = layout
  let place = 0
  for (let row = 0; row < count; row++) {
    for (let index = 0; index < starts.length; index++) {
      place = writeBytes(bytes, place, starts[index]!)
      const column = columns[index]!
      if (column instanceof Float64Array) {
        const value = column[row]!
        if (!Number.isFinite(value)) throw new Error(`Row ${row} holds ${value}.`)
        place = writeNumber(bytes, place, value)
      } else place = writeAscii(bytes, place, quote + column.text(column.times[row]!) + quote)
    }
    place = writeBytes(bytes, place, end)
    if (ends) ends[row] = place
  }
  return place
}

function writeBytes(bytes: Uint8Array, at: number, piece: Uint8Array): number {
  for (let i = 0; i < piece.length; i++) bytes[at + i] = piece[i]!
  return at + piece.length
}
