import { civil, type Day, dayOf } from './dates.ts'

export const intervals = ['1d', '1w', '1mo', '1q', '1y'] as const
export type Interval = (typeof intervals)[number]

/** Intraday bar lengths, in minutes. */
export const minutesOf = { '1m': 1, '5m': 5, '15m': 15, '30m': 30, '1h': 60 } as const
export type IntradayInterval = keyof typeof minutesOf
export const intradayIntervals = Object.keys(minutesOf) as [IntradayInterval, ...IntradayInterval[]]
export const allIntervals = [...intradayIntervals, ...intervals] as const
export type AnyInterval = (typeof allIntervals)[number]
export const isIntraday = (interval: AnyInterval): interval is IntradayInterval => interval in minutesOf

const monthsOf = { '1mo': 1, '1q': 3, '1y': 12 } as const

/** The first day of the calendar period that `day` lies in. Weeks begin on Monday (ISO 8601). */
export function periodStart(interval: Interval, day: Day): Day {
  if (interval === '1d') return day
  if (interval === '1w') return day - ((((day + 3) % 7) + 7) % 7)
  const { year, month } = civil(day)
  const months = monthsOf[interval]
  return dayOf(year, month - ((month - 1) % months), 1)
}

/** The last day of the calendar period that `day` lies in. */
export function periodEnd(interval: Interval, day: Day): Day {
  const start = periodStart(interval, day)
  if (interval === '1d') return start
  if (interval === '1w') return start + 6
  const { year, month } = civil(start)
  const next = month - 1 + monthsOf[interval]
  return dayOf(year + Math.floor(next / 12), (next % 12) + 1, 1) - 1
}
