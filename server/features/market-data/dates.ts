/** A calendar date as the number of days since 1970-01-01, negative before. No clock, no time zone. */
export type Day = number

/** Days of the proleptic Gregorian calendar: H. Hinnant, "chrono-compatible low-level date algorithms", days_from_civil. */
export function dayOf(year: number, month: number, date: number): Day {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** The inverse of `dayOf` (civil_from_days of the same source). */
export function civil(day: Day): { year: number; month: number; date: number } {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, date: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1 }
}

/** The day of a text YYYY-MM-DD that is known to be a date. */
export const parseDay = (text: string): Day =>
  dayOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)))

/** Maximum number of days cached as text: about 82 years, longer than any exchange has traded electronically. */
const MAX_TEXTS = 30_000
const texts = new Map<Day, string>()

/** YYYY-MM-DD. Formatted days are cached, since all symbols share those of their exchange. */
export function dayText(day: Day): string {
  const known = texts.get(day)
  if (known !== undefined) return known
  const { year, month, date } = civil(day)
  const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
  // Callers name days too; without a bound they could fill the memory.
  if (texts.size < MAX_TEXTS) texts.set(day, text)
  return text
}

/**
 * The same date a number of months earlier, or the last date of that month if it is shorter (March 31 minus 1 is
 * February 28).
 */
export function monthsBefore(day: Day, months: number): Day {
  const { year, month, date } = civil(day)
  const index = year * 12 + month - 1 - months
  const first = dayOf(Math.floor(index / 12), (index % 12) + 1, 1)
  const next = dayOf(Math.floor((index + 1) / 12), ((index + 1) % 12) + 1, 1)
  return first + Math.min(date, next - first) - 1
}

export const MINUTES_PER_DAY = 1440

/** Minutes since 1970 of a text YYYY-MM-DDTHH:MMZ that is known to be an instant. */
export const parseMinute = (text: string): number =>
  parseDay(text) * MINUTES_PER_DAY + Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16))

/** YYYY-MM-DDTHH:MM:00Z. */
export function minuteText(minute: number): string {
  const day = Math.floor(minute / MINUTES_PER_DAY)
  const rest = minute - day * MINUTES_PER_DAY
  const hour = Math.floor(rest / 60)
  return `${dayText(day)}T${String(hour).padStart(2, '0')}:${String(rest % 60).padStart(2, '0')}:00Z`
}
