import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { listEventsSince } from '../stripe/read-event.ts'
import { keepEvent } from './keep-event.ts'
import { processEvents } from './process-events.ts'

/** Events appear in Stripe's list with a delay, so each look reaches this far back before the last one. */
const OVERLAP = sql`interval '1 hour'`
/** Stripe keeps events for thirty days. */
const FURTHEST = sql`interval '29 days'`

/**
 * Lists Stripe's events, stores and applies those that no webhook delivered, and returns how many were missed (normally
 * 0).
 */
export async function findMissedEvents(
  deps: Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>,
): Promise<number> {
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
  if (missed > 0) log.warn({ missed }, 'recovered events that no Stripe webhook delivered')
  await processEvents(deps)
  return missed
}
