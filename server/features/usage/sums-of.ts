import { type RawBuilder, sql } from 'kysely'
import type { UsageRange } from '#contract/usage.ts'

/** Days including today; 24 hours are read by the hour. */
const days: Record<Exclude<UsageRange, '24h'>, number> = { '7d': 7, '30d': 30, '90d': 90 }

/** In the histograms: all keys of an account together. */
const ALL_KEYS = -1

/**
 * SQL for the sums of an account in a range: key_id, time (start of its UTC hour or day), success, failed, refused.
 * Null for all keys, including the playground (key 0). An hour or day may have several rows.
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

/** SQL for the start of the range of equal length before this one. */
export const startBefore = (range: UsageRange): RawBuilder<unknown> =>
  range === '24h'
    ? sql`(${firstHour} - interval '24 hours')`
    : sql`((${firstDay(days[range])} - ${days[range]}::int * interval '1 day') at time zone 'UTC')`

/**
 * SQL for the sums of an account in the previous range: success, failed. Like the current range it ends within a day, at
 * the current hour, whose sums are kept long enough.
 */
export function sumsBefore(range: UsageRange, accountId: number): RawBuilder<unknown> {
  if (range === '24h')
    return sql`select success, failed from usage_by_hour
      where account_id = ${accountId} and hour >= ${startBefore(range)} and hour < ${firstHour}`
  const lastDay = sql`(${firstDay(days[range])} - interval '1 day')`
  return sql`select success, failed from usage_by_day
      where account_id = ${accountId} and day < (${lastDay})::date and day >= (${startBefore(range)} at time zone 'UTC')::date
    union all select success, failed from usage_by_hour
      where account_id = ${accountId} and hour >= (${lastDay} at time zone 'UTC')
        and hour <= (select app_now()) - ${days[range]}::int * interval '1 day'`
}

/** SQL for the durations of the same calls, with the whole of the last day. */
export function durationsBefore(range: UsageRange, accountId: number): RawBuilder<unknown> {
  const until = range === '24h' ? firstHour : sql`(${firstDay(days[range])} at time zone 'UTC')`
  return sql`select bucket, calls from usage_durations
    where account_id = ${accountId} and key_id = ${ALL_KEYS} and hourly = ${range === '24h'}
      and since >= ${startBefore(range)} and since < ${until}`
}

/** SQL for the hour or day of an account's first call, null without one. Hours are those kept. */
export const firstCall = (range: UsageRange, accountId: number): RawBuilder<unknown> =>
  range === '24h'
    ? sql`(select min(hour) from usage_by_hour where account_id = ${accountId})`
    : sql`(select min(day)::timestamp at time zone 'UTC' from usage_by_day where account_id = ${accountId})`
