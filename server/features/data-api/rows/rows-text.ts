import { FOUR_DIGITS, fractionLengths, fractions, plain, plainLengths } from '../../tools/rows/digit-words.ts'
import type { RowColumn, TimeColumn } from '../../tools/rows/row-columns.ts'
import { answerBuffer } from './answer-buffer.ts'
import { PIECE_WORD, type RowLayout } from './row-layout.ts'
import { writeNumber } from './write-number.ts'

/**
 * Buffers where rows are written before they are copied out. They are module constants, so that the compiler can
 * optimize: with arrays passed as arguments the same loop takes 50% longer.
 */
const view = new DataView(new ArrayBuffer(2 ** 20))
const bytes = Buffer.from(view.buffer)
/** The numbers of the rows, row by row. */
const cells = new Float64Array(2 ** 16)
/** The layout; see `RowLayout`. */
const words = new Float64Array(2 ** 12)
const begins = new Uint32Array(2 ** 10)
const lengths = new Uint32Array(2 ** 10)

/** Text around rows. `parted`: the row terminator goes between rows only, not after the last. */
interface Around {
  head: string
  tail: string
  parted: boolean
}

/**
 * The text of `count` rows. `ends`, if given, gets the end of each. At most one column contains times. Throws on a
 * number that is not finite.
 */
export function rowsText(
  layout: RowLayout,
  columns: readonly RowColumn[],
  count: number,
  ends?: Uint32Array,
): Buffer<ArrayBuffer> {
  const atOnce = most(layout, columns)
  if (count <= atOnce) return copyOut(writeRows(layout, columns, 0, count, 0, ends))
  const pieces: Buffer[] = []
  let size = 0
  for (let first = 0; first < count; first += atOnce) {
    const end = Math.min(count, first + atOnce)
    const own = ends?.subarray(first, end)
    pieces.push(copyOut(writeRows(layout, columns, first, end, 0, own)))
    if (own) for (let row = 0; row < own.length; row++) own[row]! += size
    size += pieces.at(-1)!.length
  }
  return Buffer.concat(pieces)
}

/** A whole answer in one piece; null: it does not fit. */
export function answerText(
  layout: RowLayout,
  columns: readonly RowColumn[],
  count: number,
  { head, tail, parted }: Around,
): Buffer | null {
  if (count > most(layout, columns) || MOST_OF_CHARACTER * (head.length + tail.length) > ROOM_AROUND) return null
  const rowsEnd = writeRows(layout, columns, 0, count, bytes.write(head), undefined)
  const end = parted ? rowsEnd - 1 : rowsEnd
  const size = end + bytes.write(tail, end)
  const answer = answerBuffer(size)
  answer.set(bytes.subarray(0, size))
  return answer
}

/** A text character takes at most three bytes per UTF-16 unit. */
const MOST_OF_CHARACTER = 3
const ROOM_AROUND = 2 ** 16

/** Rows that fit at once. */
const most = (layout: RowLayout, columns: readonly RowColumn[]): number =>
  Math.floor(Math.min((view.byteLength - ROOM_AROUND) / layout.most, cells.length / columns.length))

/** A copy: a slice of the shared pool would keep the whole pool alive. */
function copyOut(size: number): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(size)
  copy.set(bytes.subarray(0, size))
  return copy
}

/** Writes rows `first` to `end` (exclusive) into `view`, starting at `at`, and returns where they end. */
function writeRows(
  layout: RowLayout,
  columns: readonly RowColumn[],
  first: number,
  end: number,
  at: number,
  ends: Uint32Array | undefined,
): number {
  words.set(layout.words)
  begins.set(layout.begins)
  lengths.set(layout.lengths)
  const width = columns.length
  const { quote } = layout
  let time: TimeColumn | null = null
  let timeAt = -1
  for (const [index, column] of columns.entries()) {
    if (column instanceof Float64Array) gather(column, index, width, first, end)
    else {
      if (time) throw new Error('Rows have more than one column of times.')
      time = column
      timeAt = index
    }
  }
  let place = at
  for (let row = first, cell = 0; row < end; row++) {
    for (let index = 0; index < width; index++, cell++) {
      place = writePiece(place, index)
      if (index === timeAt) {
        if (quote) view.setUint8(place++, quote)
        place = time!.form.write(view, place, time!.times[row]!)
        if (quote) view.setUint8(place++, quote)
      } else {
        // The path of nearly every price, inlined: this loop is most of the cost of an answer with bars.
        const value = cells[cell]!
        const hundredths = (value * 100 + 0.5) | 0
        const whole = (hundredths / 100) | 0
        if (hundredths / 100 === value && whole < FOUR_DIGITS && value > 0) {
          view.setInt32(place, plain[whole]!)
          const point = place + plainLengths[whole]!
          const rest = hundredths - 100 * whole
          view.setInt32(point, fractions[rest]!)
          place = point + fractionLengths[rest]!
        } else place = writeNumber(view, place, value)
      }
    }
    place = writePiece(place, width)
    if (ends) ends[row - first] = place
  }
  return place
}

function gather(column: Float64Array, index: number, width: number, first: number, end: number): void {
  for (let row = first, cell = index; row < end; row++, cell += width) {
    const value = column[row]!
    if (!Number.isFinite(value)) throw new Error(`Row ${row} holds ${value}.`)
    cells[cell] = value
  }
}

/** Writes a piece of the layout and returns where it ends. Overwrites up to seven bytes after that. */
function writePiece(at: number, piece: number): number {
  const end = begins[piece + 1]!
  for (let word = begins[piece]!, place = at; word < end; word++, place += PIECE_WORD)
    view.setFloat64(place, words[word]!)
  return at + lengths[piece]!
}
