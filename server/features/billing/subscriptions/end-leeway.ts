import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/**
 * A plan's credits outlive their period by a leeway, because the next payment comes a little later, or much later if a
 * card failed. An ended subscription has no next period, so its credits end with the paid period.
 */
export const PLAN_LEEWAY = sql`interval '7 days'`
/** A trial only needs the hour in which its first invoice is a draft. */
export const TRIAL_LEEWAY = sql`interval '2 hours'`

/** Removes the leeway from the credits of an ended subscription. Safe to repeat. */
export async function endLeeway(tx: Queryable, subscriptionId: string): Promise<void> {
  await sql`
    select credit_shorten(g.id, l.period_end) from subscriptions s
    join invoice_lines l on l.subscription_id = s.id
    join credit_grants g on g.account_id = l.account_id and g.source_type = 'plan_line' and split_part(g.source_id, ':', 1) = l.id
    where s.id = ${subscriptionId} and s.ended_at is not null and g.state <> 'closed' and g.expires_at > l.period_end
    order by g.id`.execute(tx)
}
