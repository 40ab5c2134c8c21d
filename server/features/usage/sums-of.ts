import { type RawBuilder, sql } from 'kysely'
import type { UsageRange } from '#contract/usage.ts'

/** Days up to and with the one under way; 24 hours are read by the hour. */
const days: Record<Exclude<UsageRange, '24h'>, number> = { '7d': 7, '30d': 30, '90d': 90 }

/**
 * SQL of the sums of an account in a range: key_id, time (start of its UTC hour or day), latency bucket, success, failed.
 * Null: all keys, the playground (key 0) included.
 */
export function sumsOf(range: UsageRange, accountId: number, keyId: number | null): RawBuilder<unknown> {
  const ofKey = keyId === null ? sql`` : sql`and key_id = ${keyId}`
  if (range === '24h')
    return sql`select key_id, hour as time, bucket, success, failed from usage_by_hour
      where account_id = ${accountId} ${ofKey} and hour >= date_trunc('hour', (select app_now()), 'UTC') - interval '23 hours'`
  return sql`select key_id, day::timestamp at time zone 'UTC' as time, bucket, success, failed from usage_by_day
    where account_id = ${accountId} ${ofKey} and day > ((select app_now()) at time zone 'UTC')::date - ${days[range]}::int`
}
