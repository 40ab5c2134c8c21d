import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { keepEvent } from './keep-event.ts'
import { processEvents } from './process-events.ts'
import { listEventsSince } from './stripe/read-event.ts'

/** Events become visible in Stripe's list with a delay, so each look goes back this far before the last one. */
const OVERLAP = sql`interval '1 hour'`
/** Stripe lists the events of thirty days. */
const FURTHEST = sql`interval '29 days'`

/**
 * Asks Stripe for events that no webhook brought, keeps those that are new and applies them. Answers how many were
 * missed: in a healthy installation none.
 */
export async function findMissedEvents(deps: Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'config'>): Promise<number> {
  const { db, log, stripe } = deps
  if (!stripe) return 0
  const { since, now } = await db.kysely
    .selectFrom('billing_settings')
    .select(sql<Date>`greatest(events_until - ${OVERLAP}, app_now() - ${FURTHEST})`.as('since'))
    .select(sql<Date>`app_now()`.as('now'))
    .executeTakeFirstOrThrow()
  let missed = 0
  for (const event of await listEventsSince(stripe, since)) if (await keepEvent(db.kysely, event)) missed++
  await db.kysely.updateTable('billing_settings').set({ events_until: now }).execute()
  if (missed > 0) log.warn({ missed }, 'webhooks of Stripe were missed and found again')
  await processEvents(deps)
  return missed
}
