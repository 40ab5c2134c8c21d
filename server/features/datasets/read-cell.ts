import { instantOf } from '../market-data/calendar/zone.ts'
import { civil, type Day, dayOf, MINUTES_PER_DAY } from '../market-data/dates.ts'
import type { DatasetFile } from './dataset-file.ts'

const digits = (text: string, from: number, to: number): number => {
  let value = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The day, or NaN for a date that does not exist. */
function dayIfReal(year: number, month: number, date: number): Day {
  if (!(year >= 1000 && year <= 9999 && month >= 1 && month <= 12 && date >= 1 && date <= LONGEST[month - 1]!))
    return Number.NaN
  const day = dayOf(year, month, date)
  return date <= 28 || civil(day).date === date ? day : Number.NaN
}

/** Reads dates in the manifest's format; NaN for anything else. */
export function dayReader({ dates }: Pick<DatasetFile, 'dates'>): (cell: unknown) => Day {
  if (dates === 'unix_s' || dates === 'unix_ms') {
    const perDay = dates === 'unix_s' ? 86_400 : 86_400_000
    return (cell) => (cell === '' || cell === null ? Number.NaN : Math.floor(Number(cell) / perDay))
  }
  return (cell) => {
    if (cell instanceof Date) return Math.floor(cell.getTime() / 86_400_000)
    const text = String(cell).trim()
    if (dates === 'yyyymmdd')
      return text.length === 8 ? dayIfReal(digits(text, 0, 4), digits(text, 4, 6), digits(text, 6, 8)) : Number.NaN
    if (dates === 'iso') {
      const good = text.length === 10 || (text.length > 10 && (text[10] === 'T' || text[10] === ' '))
      return good && text[4] === '-' && text[7] === '-'
        ? dayIfReal(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10))
        : Number.NaN
    }
    const [, first, second, year] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text) ?? []
    return dates === 'dmy'
      ? dayIfReal(Number(year), Number(second), Number(first))
      : dayIfReal(Number(year), Number(first), Number(second))
  }
}

/** Reads instants as whole minutes since 1970 UTC; a time without a zone is in `timezone`. NaN for anything else. */
export function minuteReader({ dates }: Pick<DatasetFile, 'dates'>, timezone: string): (cell: unknown) => number {
  return (cell) => {
    if (dates === 'unix_s' || dates === 'unix_ms') return Math.floor(Number(cell) / (dates === 'unix_s' ? 60 : 60_000))
    if (cell instanceof Date) return Math.floor(cell.getTime() / 60_000)
    const text = String(cell).trim()
    const parts = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text)
    if (!parts) return Number.NaN
    const day = dayIfReal(Number(parts[1]), Number(parts[2]), Number(parts[3]))
    const clock = Number(parts[4]) * 60 + Number(parts[5])
    const zone = parts[6]
    if (zone === undefined) return instantOf(timezone, day, clock) / 60_000
    const ahead =
      zone === 'Z' ? 0 : (zone[0] === '-' ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))
    return day * MINUTES_PER_DAY + clock - ahead
  }
}

const STARTS_AS_NUMBER = /^\d/

/** Reads numbers; NaN for other text, null for a missing value. */
export function numberReader({
  decimal,
  missing,
}: Pick<DatasetFile, 'decimal' | 'missing'>): (cell: unknown) => number | null {
  const none = new Set(missing)
  // Nearly every cell is digits with at most one point, which no missing-value text looks like.
  const direct = decimal === '.' && !missing.some((text) => STARTS_AS_NUMBER.test(text))
  return (cell) => {
    if (typeof cell === 'number') return cell
    if (direct && typeof cell === 'string' && cell.charCodeAt(0) >= 48 && cell.charCodeAt(0) <= 57) return Number(cell)
    if (cell === null || cell === undefined) return null
    if (typeof cell === 'bigint') return Number(cell)
    const text = String(cell).trim()
    if (none.has(text)) return null
    return Number(decimal === ',' ? text.replaceAll('.', '').replace(',', '.') : text)
  }
}

const samples: Record<DatasetFile['dates'], string> = {
  iso: '2025-01-31',
  yyyymmdd: '20250131',
  dmy: '31.01.2025',
  mdy: '01/31/2025',
  unix_s: '1738281600',
  unix_ms: '1738281600000',
}

/** The manifest's date format, for an error message. */
export const dateSample = ({ dates }: Pick<DatasetFile, 'dates'>): string =>
  `such as ${samples[dates]} (dates: ${dates})`

/** A cell as quoted in a message. */
export const shownCell = (cell: unknown): string => {
  const text = String(cell)
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
