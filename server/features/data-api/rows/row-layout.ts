import { MOST_TEXT } from '../../tools/rows/row-columns.ts'
import { LONGEST_NUMBER } from './write-number.ts'

/**
 * How one row is written in a format: fixed text before each cell and after the last, and a quote character around
 * texts. Fixed text is half of an answer, so it is stored as eight-byte words, which are much faster to write than
 * single bytes; the zero padding of a piece is overwritten by what follows. Stored as doubles, because writing 64-bit
 * integers is slow: no ASCII or UTF-8 text is a NaN, whose bits might change.
 */
export interface RowLayout {
  /** All pieces, concatenated. */
  words: Float64Array
  /** Where the words of each piece start, and at the end the number of words. */
  begins: Uint32Array
  /** Bytes of each piece. */
  lengths: Uint32Array
  /** 0: none. */
  quote: number
  /** Maximum bytes per row. */
  most: number
}

const QUOTE = '"'.charCodeAt(0)

/** Rows as JSON objects, each followed by `after`. */
export const objectLayout = (columns: readonly string[], after: string): RowLayout =>
  layout(
    [...columns.map((column, index) => `${index === 0 ? '{' : ','}${JSON.stringify(column)}:`), `}${after}`],
    QUOTE,
  )

/** Rows as JSON arrays, each followed by a comma. */
export const arrayLayout = (columns: readonly string[]): RowLayout =>
  layout([...columns.map((_, index) => (index === 0 ? '[' : ',')), '],'], QUOTE)

/** Rows as lines of CSV. */
export const csvLayout = (columns: readonly string[]): RowLayout =>
  layout([...columns.map((_, index) => (index === 0 ? '' : ',')), '\r\n'], 0)

function layout(texts: string[], quote: number): RowLayout {
  // Column names may have other characters; each byte counts as one.
  const pieces = texts.map((text) => Buffer.from(text).toString('latin1'))
  const words = pieces.map(wordsOf)
  const begins = new Uint32Array(pieces.length + 1)
  for (const [index, own] of words.entries()) begins[index + 1] = begins[index]! + own.length
  const cells = (pieces.length - 1) * (Math.max(LONGEST_NUMBER, MOST_TEXT) + 2)
  return {
    words: Float64Array.from(words.flat()),
    begins,
    lengths: Uint32Array.from(pieces, (piece) => piece.length),
    quote,
    most: pieces.join('').length + cells,
  }
}

/** Bytes of a word. */
export const PIECE_WORD = 8

function wordsOf(text: string): number[] {
  const bytes = new DataView(new ArrayBuffer(PIECE_WORD * Math.ceil(text.length / PIECE_WORD)))
  for (let at = 0; at < text.length; at++) bytes.setUint8(at, text.charCodeAt(at))
  return Array.from({ length: bytes.byteLength / PIECE_WORD }, (_, word) => bytes.getFloat64(PIECE_WORD * word))
}
