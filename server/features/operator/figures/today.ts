import { sql } from 'kysely'
import type { z } from 'zod'
import { stablecoin } from '#contract/currency.ts'
import type { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { foldedUntil } from './folded-until.ts'
import { type CallRate, type HourOfCalls, readHours } from './read-calls.ts'
import { creditsOf, owedOf, readSums } from './read-sums.ts'

type Answer = z.input<(typeof figuresRoutes)['getToday']['data']>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The figures of the current UTC day. Calls and receipts are those of this moment; credits are complete `until`. */
export async function readToday(db: Database, rate: CallRate): Promise<Answer> {
  const { rows: clock } = await sql<{ at: Date }>`select app_now() as at`.execute(db.kysely)
  const { at } = clock[0]!
  const dayMs = Math.floor(at.getTime() / DAY_MS) * DAY_MS
  const hourMs = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS
  const [hours, received, customers, sums, until] = await Promise.all([
    readHours(db),
    readReceived(db.kysely, new Date(dayMs)),
    readCustomers(db.kysely, new Date(dayMs)),
    readSums(db.kysely, null, dayOf(dayMs)),
    foldedUntil(db.kysely),
  ])
  const moved = await readSums(db.kysely, dayOf(dayMs), dayOf(dayMs + DAY_MS))
  const all = [...sums, ...moved]
  const compare = (value: (hour: HourOfCalls) => number) => ({
    today: sumOf(hours, value, dayMs, dayMs + DAY_MS),
    closed: sumOf(hours, value, dayMs, hourMs),
    yesterday: sumOf(hours, value, dayMs - DAY_MS, hourMs - DAY_MS),
  })
  const answered = ({ success, failed }: HourOfCalls) => success + failed
  const total = (rows: typeof all, value: (row: (typeof all)[number]) => number) =>
    rows.reduce((sum, row) => sum + value(row), 0)
  const owed = new Map<string, number>()
  for (const row of all) if (row.currency) owed.set(row.currency, (owed.get(row.currency) ?? 0) + owedOf(row))
  return {
    at: at.toISOString(),
    hour: new Date(hourMs).toISOString(),
    until: until?.toISOString() ?? null,
    rate: {
      now: rate.next({ atMs: at.getTime(), calls: sumOf(hours, answered, 0, dayMs + DAY_MS) }),
      yesterday: Math.round(sumOf(hours, answered, hourMs - DAY_MS, hourMs - DAY_MS + HOUR_MS) / 360) / 10,
    },
    calls: compare(answered),
    failed: compare(({ failed }) => failed),
    refused: compare(({ refused }) => refused),
    received,
    credits: {
      sold: total(
        moved.filter(({ currency }) => currency),
        ({ granted }) => granted,
      ),
      granted: total(
        moved.filter(({ currency }) => !currency),
        ({ granted }) => granted,
      ),
      burned: sumOf(hours, ({ credits }) => credits, dayMs, dayMs + DAY_MS),
      expired: total(moved, ({ expired }) => expired),
      outstanding: total(all, creditsOf),
      outstanding_paid: total(
        all.filter(({ currency }) => currency),
        creditsOf,
      ),
      liability: [...owed].map(([currency, cents]) => ({ currency, cents })),
    },
    customers,
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const sumOf = (hours: HourOfCalls[], value: (hour: HourOfCalls) => number, fromMs: number, toMs: number): number =>
  hours
    .filter(({ hour }) => hour.getTime() >= fromMs && hour.getTime() < toMs)
    .reduce((sum, hour) => sum + value(hour), 0)

/** Payments less refunds and disputes, of today and of yesterday until the same time; what agents paid is a currency of its own. */
async function readReceived(db: Queryable, day: Date): Promise<NonNullable<Answer['received']>> {
  const { rows } = await sql<{ currency: string; cents: number; yesterday_cents: number }>`
    select currency, coalesce(sum(cents) filter (where at >= ${day}), 0)::bigint as cents,
      coalesce(sum(cents) filter (where at < ${day} and at <= (select app_now()) - interval '24 hours'), 0)::bigint as yesterday_cents
    from (
      select currency, at, cents from money_ledger where at >= ${day}::timestamptz - interval '24 hours' union all
      select ${stablecoin}, decided_at, micro_usd from agent_payments
      where state = 'settled' and decided_at >= ${day}::timestamptz - interval '24 hours') m
    group by 1 order by 1`.execute(db)
  return rows
}

async function readCustomers(db: Queryable, day: Date): Promise<Answer['customers']> {
  const { rows } = await sql<Answer['customers']>`
    with c as (select * from operator_customers where day >= (${day}::timestamptz at time zone 'UTC')::date - 1)
    select (select count(*) from accounts where created_at >= ${day}) as new_today,
      (select count(*) from accounts where created_at >= ${day}::timestamptz - interval '24 hours' and created_at < ${day}) as new_yesterday,
      coalesce(max(active) filter (where day = (${day}::timestamptz at time zone 'UTC')::date), 0) as active_today,
      coalesce(max(active) filter (where day < (${day}::timestamptz at time zone 'UTC')::date), 0) as active_yesterday,
      coalesce((select active_30 from c order by day desc limit 1), 0) as active_30
    from c`.execute(db)
  return rows[0]!
}
