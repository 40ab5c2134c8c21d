import { sql } from 'kysely'
import type { z } from 'zod'
import type { customer } from '#contract/operator/customers.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { ENDED } from '../../billing/subscriptions/read-subscription.ts'

const ended = sql.join(ENDED.map((status) => sql.lit(status)))

/** SQL: joins the plan in force of `a` (accounts) as `s`, as the customer sees it, and the owner as `o`. `limit` keeps both lookups of one row. */
export const withPlanAndOwner = sql`
  left join lateral (
    select p.name, sub.status, p.rate_limit_per_minute,
      case when sub.provider_status = 'trialing' then 'trial' when sub.status = 'active' and sub.cancels_at is not null then 'canceling'
        else sub.status end as state
    from subscriptions sub join plans p using (price_id) where sub.account_id = a.id and sub.status not in (${ended})
    order by sub.status = 'active' desc, p.type = 'paid' desc, sub.anchor_at desc limit 1) s on true
  left join lateral (
    select pr.email, pr.deletion_due_at from account_members m join profiles pr using (user_id)
    where m.account_id = a.id and m.role = 'owner' limit 1) o on true`

/** SQL: the state of the customer, the most serious first. A workspace without an owner was erased. */
export const stateOfCustomer = sql<string>`
  case when o is null then 'deleted' when a.suspended_at is not null then 'suspended' when o.deletion_due_at is not null then 'deleting'
    when s.state is null then 'no_plan' when s.state = 'trial' then 'trial' when s.status <> 'active' then 'past_due' else 'active' end`

/** What every answer about a customer has. */
export const factsOfCustomer = sql`
  a.id as number, a.public_id as id, a.name, nullif(o.email, '') as owner_email, a.personal_of is not null as personal, s.name as plan, s.state as plan_state,
  ${stateOfCustomer} as state, coalesce(c.balance, 0)::bigint as balance, coalesce(c.unlimited, false) as unlimited,
  to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at`

export type Customer = z.input<typeof customer> & {
  /** Its row: never leaves the server but as a cursor. */
  number: number
  bucket: number
  planRateLimit: number | null
}

/** A customer by public id. Throws not_found. */
export async function findCustomer(db: Queryable, publicId: string): Promise<Customer> {
  const { rows } = await sql<
    Record<'suspended_at' | 'deletion_due_at', Date | null> & Omit<Customer, 'suspended_at' | 'deletion_due_at'>
  >`
    select ${factsOfCustomer}, a.bucket, a.suspended_at, a.rate_limit_per_minute, o.deletion_due_at,
      (select count(*)::int from account_members m where m.account_id = a.id) as members, s.rate_limit_per_minute as "planRateLimit",
      (select id from billing_customers b where b.account_id = a.id) as payment_customer, coalesce(c.payg_enabled, false) as payg_enabled
    from accounts a ${withPlanAndOwner}
    left join metering.credit_accounts c on c.account_id = a.id
    where a.public_id = ${publicId}`.execute(db)
  const found = rows[0]
  if (!found) throw new AppError('not_found', 'There is no such customer.')
  return {
    ...found,
    suspended_at: found.suspended_at?.toISOString() ?? null,
    deletion_due_at: found.deletion_due_at?.toISOString() ?? null,
  }
}

/** The same with the handle of its bucket, which has its credits and calls. */
export async function openCustomer(db: Database, publicId: string): Promise<{ found: Customer; home: Queryable }> {
  const found = await findCustomer(db.kysely, publicId)
  return { found, home: db.of(found.bucket).kysely }
}
