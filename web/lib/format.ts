import { shopNow } from './shop.ts'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** A whole number in US style; missing or non-numeric values show as 0. */
export function formatWhole(value: unknown): string {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  // Adding 0 turns -0 into 0.
  return Number.isFinite(number) ? whole.format(Math.round(number) + 0) : '0'
}

/** An interval as text: month is monthly, year is yearly, others are unchanged. */
export function formatInterval(interval: string | null | undefined): string {
  if (interval === 'month') return 'monthly'
  if (interval === 'year') return 'yearly'
  return interval ?? ''
}

/**
 * Formats in the shop's time zone, or else in the reader's; in `options.timeZone` if it is given. Made on first use: together, the
 * formats would delay a phone's first page by a tenth of a second.
 */
function inZone(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  let made: { zone: string | null; format: Intl.DateTimeFormat } | undefined
  return (date) => {
    const zone = options.timeZone ?? shopNow()?.timeZone ?? null
    if (made?.zone !== zone)
      made = { zone, format: new Intl.DateTimeFormat('en-US', { ...options, ...(zone && { timeZone: zone }) }) }
    return made.format.format(date)
  }
}

const inDate = inZone({ dateStyle: 'medium' })
const inMoment = inZone({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
const inWeek = inZone({ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' })
const inMinutes = inZone({ timeStyle: 'short' })
const inSeconds = inZone({ timeStyle: 'medium' })
const zoneOnly = inZone({ month: 'numeric', timeZoneName: 'short' })
const utcDate = inZone({ dateStyle: 'medium', timeZone: 'UTC' })
const utcDay = inZone({ month: 'short', day: 'numeric', timeZone: 'UTC' })
const utcMoment = inZone({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const utcHour = inZone({ hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'UTC' })

const parse = (value: string | number | Date | null | undefined) => {
  const date = value === null || value === undefined ? null : new Date(value)
  return date && !Number.isNaN(date.getTime()) ? date : null
}

/** A date in the shop's time zone, else the local one, or `absent`. */
export function formatDate(value: string | Date | null | undefined, absent = ''): string {
  const date = parse(value)
  return date ? inDate(date) : absent
}

/** A date and time, likewise, to the second and with its zone, or `absent`. */
export function formatMoment(value: string | Date | null | undefined, absent = ''): string {
  const date = parse(value)
  return date ? inMoment(date) : absent
}

/** A date with its weekday: 'Thu, Nov 26, 2026'. */
export const formatWeekday = (value: string | Date): string => inWeek(new Date(value))

/** A time of day, to the minute or the second, where its date is next to it. */
export const formatClock = (value: string | number | Date, to: 'minute' | 'second' = 'minute'): string =>
  (to === 'minute' ? inMinutes : inSeconds)(new Date(value))

/** The zone of all these, such as 'UTC' or 'GMT+1'. */
export const formatZone = (now: Date): string => zoneOnly(now).split(', ').at(-1) ?? ''

/** A date from unix seconds, as in subscriptions. */
export function formatUnixDay(seconds: number | null | undefined, absent = ''): string {
  return typeof seconds === 'number' ? formatDate(new Date(seconds * 1000), absent) : absent
}

/** A UTC day with its year, as in formatDate. */
export const formatUtcDate = (value: string | Date) => utcDate(new Date(value))
/** When something of a key or a month ends, as budgets and caps count: 'Feb 3, 2031, 12:00 PM UTC'. */
export const formatUtcMoment = (value: string | Date) => `${utcMoment(new Date(value))} UTC`
export const formatUtcDay = (value: string | Date) => utcDay(new Date(value))
export const formatUtcHour = (value: string | Date) => utcHour(new Date(value))

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]
let relative: Intl.RelativeTimeFormat | undefined

/** Relative time in the largest fitting unit: 'now', '12 seconds ago', 'yesterday'. */
export function formatAgo(value: string | Date | null | undefined, now: Date, absent = ''): string {
  const date = parse(value)
  if (!date) return absent
  let amount = Math.min(0, (date.getTime() - now.getTime()) / 1000)
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) {
      relative ??= new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })
      return relative.format(Math.trunc(amount) + 0, unit)
    }
    amount /= size
  }
  return absent
}

const byteUnits = ['B', 'KB', 'MB', 'GB'] as const

/** A file size: '812 B', '1.4 MB'. */
export function formatBytes(bytes: number | null | undefined): string {
  let amount = Math.max(0, bytes ?? 0)
  let unit = 0
  while (amount >= 1000 && unit < byteUnits.length - 1) {
    amount /= 1000
    unit += 1
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${byteUnits[unit]}`
}
