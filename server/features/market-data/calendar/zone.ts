import { type Day, MINUTES_PER_DAY } from '../dates.ts'

const MS_PER_MINUTE = 60_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** A zone's offset from UTC in minutes at an instant, from the platform's time-zone data. */
export function zoneOffset(zone: string, instantMs: number): number {
  let format = formats.get(zone)
  if (!format) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...parts })
    formats.set(zone, format)
  }
  const found = Object.fromEntries(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]))
  const local = Date.UTC(found.year!, found.month! - 1, found.day!, found.hour!, found.minute!)
  return Math.round((local - Math.floor(instantMs / MS_PER_MINUTE) * MS_PER_MINUTE) / MS_PER_MINUTE)
}

/** The instant of a local time (minutes after midnight) on a day. No exchange is open while clocks change. */
export function instantOf(zone: string, day: Day, minutes: number): number {
  const local = (day * MINUTES_PER_DAY + minutes) * MS_PER_MINUTE
  const guess = local - zoneOffset(zone, local) * MS_PER_MINUTE
  return local - zoneOffset(zone, guess) * MS_PER_MINUTE
}

/** The local day of an instant. */
export const localDay = (zone: string, instantMs: number): Day =>
  Math.floor((instantMs / MS_PER_MINUTE + zoneOffset(zone, instantMs)) / MINUTES_PER_DAY)
