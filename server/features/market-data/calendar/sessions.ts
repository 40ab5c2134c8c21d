import { civil, type Day } from '../dates.ts'
import type { Exchange } from './exchanges.ts'
import { isWeekend } from './holidays.ts'
import { instantOf, localDay } from './zone.ts'

export interface Session {
  day: Day
  /** Milliseconds since 1970. */
  openMs: number
  closeMs: number
  early: boolean
}

/** Why the exchange is closed on a day; null if it is open. */
export function closedBecause(exchange: Exchange, day: Day): string | null {
  if (isWeekend(day)) return 'Weekend'
  return exchange.closures(civil(day).year).get(day) ?? null
}

/** The session of a day; null if there is none. */
export function sessionOf(exchange: Exchange, day: Day): Session | null {
  if (closedBecause(exchange, day) !== null) return null
  const close = exchange.close(day)
  // The preceding Wednesday is an ordinary session wherever early closes are known.
  const usual = Math.max(close, exchange.close(day - 7), exchange.close(day - 14))
  return {
    day,
    openMs: instantOf(exchange.zone, day, exchange.open),
    closeMs: instantOf(exchange.zone, day, close),
    early: close < usual,
  }
}

/** All days of a span with a session. */
export function sessionDays(exchange: Exchange, from: Day, to: Day): Day[] {
  const days: Day[] = []
  for (let day = from; day <= to; day++) if (closedBecause(exchange, day) === null) days.push(day)
  return days
}

/** The first session that starts after an instant. */
export function nextSession(exchange: Exchange, afterMs: number): Session {
  for (let day = localDay(exchange.zone, afterMs); ; day++) {
    const session = sessionOf(exchange, day)
    if (session && session.openMs > afterMs) return session
  }
}
