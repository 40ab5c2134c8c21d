import { FOUR_DIGITS, padded, WORD_BYTES, wordOf } from '../tools/rows/digit-words.ts'
import type { TimeForm } from '../tools/rows/row-columns.ts'
import { civil, type Day, dayOf, dayText, MINUTES_PER_DAY, minuteText } from './dates.ts'

/** The last month written: most rows are in the same month as the previous row. */
const month = { first: 0, end: 0, year: 0, dashed: 0 }

/** YYYY-MM-DD. */
export const dayForm: TimeForm = { text: dayText, write: writeDay }

/** YYYY-MM-DDTHH:MM:00Z. */
export const minuteForm: TimeForm = { text: minuteText, write: writeMinute }

function writeDay(view: DataView, at: number, day: Day): number {
  if (day < month.first || day >= month.end) enterMonth(day)
  view.setInt32(at, month.year)
  view.setInt32(at + WORD_BYTES, month.dashed)
  view.setInt32(at + 2 * WORD_BYTES, twoDigits(day - month.first + 1))
  return at + 10
}

const SECONDS = wordOf(':00Z')

function writeMinute(view: DataView, at: number, minute: number): number {
  const day = Math.floor(minute / MINUTES_PER_DAY)
  const rest = minute - day * MINUTES_PER_DAY
  const hour = (rest / 60) | 0
  const end = writeDay(view, at, day)
  view.setUint8(end, T)
  view.setInt32(end + 1, twoDigits(hour))
  view.setUint8(end + 3, COLON)
  view.setInt32(end + 4, twoDigits(rest - 60 * hour))
  view.setInt32(end + 6, SECONDS)
  return end + 10
}

const T = 84
const COLON = 58

/** Two digits and two zeros, for a number below 100. */
const twoDigits = (value: number): number => padded[value]! << 16

function enterMonth(day: Day): void {
  const { year, month: number, date } = civil(day)
  if (year < 0 || year >= FOUR_DIGITS) throw new Error(`Day ${day} lies in the year ${year}.`)
  month.year = padded[year]!
  month.dashed = wordOf(`-${String(number).padStart(2, '0')}-`)
  month.first = day - date + 1
  month.end = number === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, number + 1, 1)
}
