import { sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'

/**
 * A plan's credits outlive their period by seven days, because the next payment comes a little later, or much later if a
 * card failed. An ended subscription has no next period, so its credits end with the paid period. In hours: where the
 * database has a time zone, one of seven days can have 23 or 25.
 */
export const PLAN_LEEWAY = sql`interval '168 hours'`
/** A trial only needs the hour in which its first invoice is a draft. */
export const TRIAL_LEEWAY = sql`interval '2 hours'`

/** Removes the leeway from the credits of an ended subscription. Safe to repeat. */
export async function endLeeway(tx: Queryable, subscriptionId: string): Promise<void> {
  const ended = await tx
    .selectFrom('subscriptions')
    .select('account_id')
    .where('id', '=', subscriptionId)
    .where('ended_at', 'is not', null)
    .executeTakeFirst()
  if (!ended) return
  await enterBucket(tx, ended.account_id)
  const { rows } = await sql<{ id: number; until: Date }>`
    select g.id, l.period_end as until from invoice_lines l
    join credit_grants g on g.account_id = l.account_id and g.source_type = 'plan_line' and split_part(g.source_id, ':', 1) = l.id
    where l.subscription_id = ${subscriptionId} and g.state <> 'closed' and g.expires_at > l.period_end
    order by g.created_at, g.id`.execute(tx)
  for (const { id, until } of rows) await sql`select credit_shorten(${id}, ${until})`.execute(tx)
}
