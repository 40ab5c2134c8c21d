import {
  FOUR_DIGITS,
  fractionLengths,
  fractions,
  padded,
  plain,
  plainLengths,
  WORD_BYTES,
} from '../../tools/rows/digit-words.ts'

const MINUS = 45
const POINT = 46
const ZERO = 48
/** Below this, a decimal with this many digits is the shortest text of its nearest double. */
const EXACT = 1e15
/** Below it, hundredths fit 31 bits. */
const SMALL = 2e7
/** Below it, String writes an exponent. */
const LEAST_PLAIN = 1e-6
const EIGHT_DIGITS = 1e8

/** A double takes at most 24 characters: -2.2250738585072014e-308. */
export const LONGEST_NUMBER = 24

/**
 * Writes `String(value)` of a finite number as ASCII and returns where it ends. Overwrites up to three bytes after
 * that. Numbers are most of the work of an answer with bars, and prices have few decimals: `value` is the double
 * nearest to a decimal of at most 15 digits exactly if that decimal divides back to it. Its digits then follow from
 * integers, four at a time from a table.
 */
export function writeNumber(view: DataView, at: number, value: number): number {
  let end = at
  let size = value
  if (value < 0) {
    view.setUint8(end++, MINUS)
    size = -value
  }
  if (size < SMALL) {
    const hundredths = (size * 100 + 0.5) | 0
    if (hundredths / 100 === size) {
      const whole = (hundredths / 100) | 0
      const rest = hundredths - 100 * whole
      end = writeWhole(view, end, whole)
      view.setInt32(end, fractions[rest]!)
      return end + fractionLengths[rest]!
    }
  }
  return writeOther(view, end, size)
}

/** Large numbers, and those with more than two decimals. */
function writeOther(view: DataView, at: number, size: number): number {
  const whole = Math.floor(size)
  if (whole === size && size < EXACT) return writeLarge(view, at, size)
  const fine = Math.round(size * EIGHT_DIGITS)
  if (fine >= EXACT || size < LEAST_PLAIN || fine / EIGHT_DIGITS !== size) return writeAscii(view, at, String(size))
  const point = writeWhole(view, at, whole)
  view.setUint8(point, POINT)
  let end = writeEight(view, point + 1, fine - whole * EIGHT_DIGITS)
  while (view.getUint8(end - 1) === ZERO) end--
  return end
}

function writeLarge(view: DataView, at: number, value: number): number {
  if (value < EIGHT_DIGITS) return writeWhole(view, at, value)
  const high = Math.floor(value / EIGHT_DIGITS)
  return writeEight(view, writeWhole(view, at, high), value - high * EIGHT_DIGITS)
}

/** An integer below 10^8, without leading zeros. */
function writeWhole(view: DataView, at: number, value: number): number {
  if (value < FOUR_DIGITS) {
    view.setInt32(at, plain[value]!)
    return at + plainLengths[value]!
  }
  const high = (value / FOUR_DIGITS) | 0
  view.setInt32(at, plain[high]!)
  const middle = at + plainLengths[high]!
  view.setInt32(middle, padded[value - FOUR_DIGITS * high]!)
  return middle + WORD_BYTES
}

/** An integer below 10^8 as eight digits. */
function writeEight(view: DataView, at: number, value: number): number {
  const high = (value / FOUR_DIGITS) | 0
  view.setInt32(at, padded[high]!)
  view.setInt32(at + WORD_BYTES, padded[value - FOUR_DIGITS * high]!)
  return at + 2 * WORD_BYTES
}

function writeAscii(view: DataView, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i))
  return at + text.length
}
