import { type RawBuilder, sql } from 'kysely'
import { invalid } from '../errors.ts'

const UNITS: Record<string, number> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }

/** `24h`, `1h30m`, `none`: the end of a ban. Throws validation_failed. */
export function bannedUntil(duration: string): RawBuilder<Date | null> {
  if (duration === 'none') return sql<Date | null>`null`
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== duration)
    throw invalid(`invalid format for ban duration: expected "none" or a duration such as "24h"`)
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0)
  // A century is effectively permanent, and still a date that the database can store.
  return sql<Date>`app_now() + make_interval(secs => ${Math.min(seconds, 3_155_760_000)})`
}
