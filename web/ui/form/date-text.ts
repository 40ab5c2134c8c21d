const dayForm = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
const timeForm = /^([01]?\d|2[0-3]):([0-5]\d)$/
const endOfDay = '23:59'

/**
 * The date typed as `YYYY-MM-DD`, with `HH:MM` after it if `withTime`; a day alone then means its last minute. Returns
 * the value of the browser's own date fields, '' for nothing, or null for text that is not a date.
 */
export function readDate(typed: string, withTime: boolean): string | null {
  const [day = '', time, ...rest] = typed.trim().split(/[T\s]+/)
  if (day === '') return ''
  const date = readDay(day)
  if (!date || rest.length > 0) return null
  if (!withTime) return time === undefined ? date : null
  const [, hour, minute] = timeForm.exec(time ?? endOfDay) ?? []
  return hour === undefined ? null : `${date}T${hour.padStart(2, '0')}:${minute}`
}

function readDay(text: string): string | null {
  const [, year = '', month = '', day = ''] = dayForm.exec(text) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(`${iso}T00:00:00Z`)
  // February 30 is read as March 1 or 2.
  return Number.isNaN(time) || dayOf(time) !== iso ? null : iso
}

/** A field's value as it is typed. */
export const shownDate = (value: string): string => value.replace('T', ' ')

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const addDays = (day: string, days: number): string => dayOf(timeOf(day) + days * 86_400_000)

/** The same day of another month, or that month's last. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, last)))
}

/** 0 is Sunday. */
export const weekday = (day: string): number => new Date(timeOf(day)).getUTCDay()

/** The weeks of a day's month, from Sunday; null for days of other months. */
export function monthWeeks(day: string): (string | null)[][] {
  const month = day.slice(0, 7)
  const start = addDays(`${month}-01`, -weekday(`${month}-01`))
  const weeks: (string | null)[][] = []
  for (let week = start; week.slice(0, 7) <= month; week = addDays(week, 7))
    weeks.push(Array.from({ length: 7 }, (_, n) => addDays(week, n)).map((one) => (one.startsWith(month) ? one : null)))
  return weeks
}
