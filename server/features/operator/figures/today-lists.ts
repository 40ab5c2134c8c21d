import { sql } from 'kysely'
import type { z } from 'zod'
import type { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { shownName } from '../account-name.ts'
import { foldedUntil } from './folded-until.ts'
import { readHours } from './read-calls.ts'

type Answer = z.input<(typeof figuresRoutes)['getTodayLists']['data']>

const HOUR_MS = 3_600_000

/** What the charts and tables of the first page show: 24 hours of calls, 30 days of credits and receipts, and who and what leads. */
export async function readTodayLists(db: Database): Promise<Answer> {
  const { kysely } = db
  const { rows: clock } = await sql<{ at: Date }>`select app_now() as at`.execute(kysely)
  const hourMs = Math.floor(clock[0]!.at.getTime() / HOUR_MS) * HOUR_MS
  const [hours, days, receipts, funnel, tools, customers, until] = await Promise.all([
    readHours(db),
    readDays(kysely),
    readReceipts(kysely),
    readFunnel(kysely),
    readTools(kysely),
    readTop(kysely),
    foldedUntil(kysely),
  ])
  const byHour = new Map(hours.map((one) => [one.hour.getTime(), one]))
  return {
    until: until?.toISOString() ?? null,
    hours: Array.from({ length: 24 }, (_, back) => {
      const ms = hourMs - (23 - back) * HOUR_MS
      const { success = 0, failed = 0, refused = 0, credits = 0 } = byHour.get(ms) ?? {}
      return { hour: new Date(ms).toISOString(), success, failed, refused, credits }
    }),
    days,
    receipts,
    funnel,
    tools,
    customers,
  }
}

/** The last 30 UTC days, oldest first. */
const lastDays = sql`(select d::date as day from generate_series((app_now() at time zone 'UTC')::date - 29, (app_now() at time zone 'UTC')::date, '1 day') d)`

/** So that only these days are read. */
const recent = sql`o.day >= (select (app_now() at time zone 'UTC')::date - 29)`

async function readDays(db: Queryable): Promise<Answer['days']> {
  const { rows } = await sql<Answer['days'][number]>`
    select d.day::text, coalesce(sum(granted) filter (where currency <> ''), 0)::bigint as sold, coalesce(sum(granted) filter (where currency = ''), 0)::bigint as granted,
      coalesce(sum(burned), 0)::bigint as burned, coalesce(sum(expired), 0)::bigint as expired
    from ${lastDays} d left join operator_daily o on o.day = d.day and ${recent} group by 1 order by 1`.execute(db)
  return rows
}

async function readReceipts(db: Queryable): Promise<NonNullable<Answer['receipts']>> {
  const { rows } = await sql<NonNullable<Answer['receipts']>[number]>`
    select d.day::text, c.currency, coalesce(sum(received - refunded - disputed), 0)::bigint as cents
    from ${lastDays} d cross join (
      select distinct currency from operator_daily where currency <> '' and received <> 0 and day > (app_now() at time zone 'UTC')::date - 30) c
    left join operator_daily o on o.day = d.day and ${recent} and o.currency = c.currency group by 1, 2 order by 2, 1`.execute(
    db,
  )
  return rows
}

async function readFunnel(db: Queryable): Promise<Answer['funnel']> {
  const { rows } = await sql<Answer['funnel'][number]>`
    select d.day::text, coalesce(signed_up, 0) as signed_up, coalesce(called, 0) as called, coalesce(paid, 0) as paid
    from ${lastDays} d left join operator_customers o on o.day = d.day order by 1`.execute(db)
  return rows
}

/** The tools with the most calls in the last 24 hours. */
const readTools = (db: Queryable): Promise<Answer['tools']> =>
  db
    .selectFrom('operator_top_tools as o')
    .innerJoin('tools as t', 't.id', 'o.tool_id')
    .select(['t.name', 'o.calls', 'o.failed', 'o.credits', 'o.p95_ms'])
    .orderBy('o.place')
    .execute()

async function readTop(db: Queryable): Promise<Answer['customers']> {
  const { rows } = await sql<Answer['customers'][number]>`
    select a.public_id as id, ${sql.raw(shownName)} as name, t.calls, t.failed, t.credits from operator_top t join accounts a on a.id = t.account_id order by t.place`.execute(
    db,
  )
  return rows
}
