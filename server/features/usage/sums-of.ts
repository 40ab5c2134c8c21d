import { type RawBuilder, sql } from 'kysely'
import type { UsageRange } from '#contract/usage.ts'

/** Days including today; 24 hours are read by the hour. */
const days: Record<Exclude<UsageRange, '24h'>, number> = { '7d': 7, '30d': 30, '90d': 90 }

/** In the histograms: all keys of an account together. */
const ALL_KEYS = -1

/**
 * SQL for the sums of an account in a range: key_id, time (start of its UTC hour or day), success, failed, refused.
 * Null: all keys, including the playground (key 0). An hour or day may have several rows.
 */
export function sumsOf(range: UsageRange, accountId: number, keyId: number | null): RawBuilder<unknown> {
  const ofKey = keyId === null ? sql`` : sql`and key_id = ${keyId}`
  if (range === '24h')
    return sql`select key_id, hour as time, success, failed, refused from usage_by_hour
      where account_id = ${accountId} ${ofKey} and hour >= ${firstHour}`
  return sql`select key_id, day::timestamp at time zone 'UTC' as time, success, failed, refused from usage_by_day
    where account_id = ${accountId} ${ofKey} and day >= (${firstDay(days[range])})::date`
}

/** SQL for the durations of the same calls: bucket, calls. */
export function durationsOf(range: UsageRange, accountId: number, keyId: number | null): RawBuilder<unknown> {
  const since = range === '24h' ? firstHour : sql`(${firstDay(days[range])} at time zone 'UTC')`
  return sql`select bucket, calls from usage_durations
    where account_id = ${accountId} and key_id = ${keyId ?? ALL_KEYS} and hourly = ${range === '24h'} and since >= ${since}`
}

const firstHour = sql`(date_trunc('hour', (select app_now()), 'UTC') - interval '23 hours')`
const firstDay = (count: number) =>
  sql`(date_trunc('day', (select app_now()) at time zone 'UTC') - ${count - 1}::int * interval '1 day')`
