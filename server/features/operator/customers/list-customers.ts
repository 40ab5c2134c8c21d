import { type RawBuilder, sql } from 'kysely'
import type { CustomerFilter, CustomerLine } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { factsOfCustomer, stateOfCustomer, withPlanAndOwner } from './customer-facts.ts'

export interface CustomerPage {
  customers: CustomerLine[]
  /** The cursor of the next page; null: none. */
  next: number | null
}

/**
 * A page of customers that match, newest first. The cursor is the row of the last one: who signs up meanwhile is on no later page,
 * and nobody is skipped or repeated.
 */
export async function listCustomers(
  db: Queryable,
  filter: CustomerFilter,
  { before, limit = 50 }: { before?: number | undefined; limit?: number } = {},
): Promise<CustomerPage> {
  const ids = await findMatching(db, filter, before ?? null, limit + 1)
  const page = ids.slice(0, limit)
  return {
    customers: page.length > 0 ? await readLines(db, page) : [],
    next: ids.length > limit ? page.at(-1)! : null,
  }
}

/** The plans that a filter can name. */
export async function planNames(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('plans').select('name').distinct().orderBy('name').execute()
  return rows.map(({ name }) => name)
}

async function pricesOf(db: Queryable, plan: string): Promise<string[]> {
  const rows = await db.selectFrom('plans').select('price_id').where('name', '=', plan).execute()
  return rows.map(({ price_id }) => price_id)
}

/**
 * Rows of the accounts that match. Each filter is led by an index that has only its customers, and is read in the order of the list
 * until there are `limit`.
 */
export async function findMatching(
  db: Queryable,
  { plan, state, new: since }: CustomerFilter,
  before: number | null,
  limit: number,
): Promise<number[]> {
  const prices = plan === undefined ? null : await pricesOf(db, plan)
  const start = since && sql`((select app_now()) - make_interval(days => ${Number(since.slice(0, -1))}))`
  const within = (id: RawBuilder<unknown>) => sql`
    ${before === null ? sql`` : sql`and ${id} < ${before}`}
    ${start ? sql`and ${id} >= ${firstSince(start)}` : sql``} order by ${id} desc`
  const matching = (source: RawBuilder<unknown>) => sql`
    (select d.id from (${source}) d join accounts a on a.id = d.id ${withPlanAndOwner}
    where true ${start ? sql`and a.created_at >= ${start}` : sql``}
      ${plan === undefined ? sql`` : sql`and s.name = ${plan}`}
      ${state === undefined ? sql`` : sql`and ${stateOfCustomer} = ${state}`}
    order by d.id desc limit ${limit})`
  const subscribed = (which: RawBuilder<unknown>) =>
    sql`select distinct account_id as id from subscriptions where ${which} ${within(sql`account_id`)}`
  const few = state && fewOf(state, subscribed, within)
  const sources = few
    ? [few]
    : prices
      ? prices.map((price) => subscribed(sql`price_id = ${price}`))
      : [
          state === 'active'
            ? subscribed(sql`status = 'active'`)
            : sql`select id from accounts where true ${within(sql`id`)}`,
        ]
  if (sources.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select distinct id from (${sql.join(sources.map(matching), sql` union all `)}) found order by id desc limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The lowest row since a moment. Rows are numbered in the order of time, but for those of the same moment. */
const firstSince = (start: RawBuilder<unknown>) => sql`(select coalesce(min(id), 0) from (
  select id from accounts where created_at >= ${start} order by created_at limit 1000) first)`

/** The customers of a state that few have; undefined: many may have it. */
function fewOf(
  state: NonNullable<CustomerFilter['state']>,
  subscribed: (which: RawBuilder<unknown>) => RawBuilder<unknown>,
  within: (id: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> | undefined {
  if (state === 'suspended') return sql`select id from accounts where suspended_at is not null ${within(sql`id`)}`
  if (state === 'deleting')
    return sql`select distinct m.account_id as id from account_members m join profiles p using (user_id)
      where p.deletion_due_at is not null and p.deleted_at is null and m.role = 'owner' ${within(sql`m.account_id`)}`
  if (state === 'trial') return subscribed(sql`provider_status = 'trialing'`)
  if (state === 'past_due') return subscribed(sql`status not in ('active', 'canceled', 'incomplete_expired')`)
  return undefined
}

/** SQL: what paid invoices `i` of the last 30 UTC days brought, by currency. */
export const paidSince = (which: RawBuilder<unknown>) => sql`
  coalesce((select jsonb_agg(jsonb_build_object('currency', currency, 'cents', cents) order by currency) from (
    select coalesce(i.currency, (select min(currency) from plans)) as currency, sum(paid_cents) as cents from invoices i
    where ${which} and i.status = 'paid' and i.paid_cents > 0
      and i.created_at >= (select (app_now() at time zone 'UTC')::date - 29)::timestamp at time zone 'UTC' group by 1) paid), '[]')`

/** The figures of these customers, from sums by UTC day. */
async function readLines(db: Queryable, page: number[]): Promise<CustomerLine[]> {
  const { rows } = await sql<CustomerLine & { number: number }>`
    with days as (select (app_now() at time zone 'UTC')::date - 29 as first),
      used as (
        select account_id, sum(from_credits + from_payg)::bigint as burned, max(day) filter (where success + failed > 0) as last_day
        from metering.usage_by_day where account_id = any(${page}) and day >= (select first from days) group by 1)
    select ${factsOfCustomer}, coalesce(u.burned, 0)::bigint as burned_30_days,
      to_char(coalesce(u.last_day, (select day from metering.usage_daily d where d.account_id = a.id and success + failed > 0
        order by day desc limit 1)), 'YYYY-MM-DD') as last_call_day,
      ${paidSince(sql`i.account_id = a.id`)} as paid_30_days
    from accounts a ${withPlanAndOwner}
    left join metering.credit_accounts c on c.account_id = a.id
    left join used u on u.account_id = a.id
    where a.id = any(${page}) order by a.id desc`.execute(db)
  return rows
}
