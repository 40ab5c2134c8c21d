import { type Day, dayOf } from '../dates.ts'

/** Monday is 0. */
export const weekday = (day: Day): number => (((day + 3) % 7) + 7) % 7
export const isWeekend = (day: Day): boolean => weekday(day) > 4

/** The nth (1 to 5) given weekday of a month; the last one for -1. */
export function nthWeekday(year: number, month: number, wanted: number, nth: number): Day {
  if (nth === -1) {
    const last = dayOf(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - 1
    return last - ((weekday(last) - wanted + 7) % 7)
  }
  const first = dayOf(year, month, 1)
  return first + ((wanted - weekday(first) + 7) % 7) + 7 * (nth - 1)
}

/** Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher). */
export function easter(year: number): Day {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = Math.floor(b / 4)
  const e = b % 4
  const g = Math.floor((8 * b + 13) / 25)
  const h = (19 * a + b - d - g + 15) % 30
  const i = Math.floor(c / 4)
  const k = c % 4
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 19 * l) / 433)
  const month = Math.floor((h + l - 7 * m + 90) / 25)
  return dayOf(year, month, (h + l - 7 * m + 33 * month + 19) % 32)
}

/** Saturday moves to Friday, Sunday to Monday (United States). */
export const nearestWeekday = (day: Day): Day => (weekday(day) === 5 ? day - 1 : weekday(day) === 6 ? day + 1 : day)

/** Saturday and Sunday move to Monday (United Kingdom). */
export const nextMonday = (day: Day): Day => (isWeekend(day) ? day + 7 - weekday(day) : day)
