import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { type EventContext, lockCustomer } from './event-context.ts'
import { CATALOG_TYPES, changesCatalog, handleEvent, type StoredEvent } from './handle-event.ts'

const MOST_ATTEMPTS = 10

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

/**
 * Applies waiting events until none is left: each in one transaction with its processed mark, those of one customer in
 * sequence, on any number of instances. A failing event is retried with growing delays and given up after ten attempts,
 * with an alert. `step` lets a test stop between two effects. Returns how many were applied.
 */
export async function processEvents(deps: Needs, step?: EventContext['step']): Promise<number> {
  let done = 0
  for (;;) {
    const applied = await takeOne(deps, step)
    if (applied === null) return done
    done += applied
  }
}

/**
 * Applies one event. Returns how many events that settled (0: it failed and will be retried), or null when none is
 * waiting.
 */
async function takeOne(
  { db, log, mail, stripe, secrets, config }: Needs,
  step?: EventContext['step'],
): Promise<number | null> {
  if (!stripe) return null
  let taken: (StoredEvent & { attempts: number }) | undefined
  try {
    return await db.kysely.transaction().execute(async (tx) => {
      const { rows } = await sql<StoredEvent & { attempts: number }>`
        select id, type, object_id, customer_id, dispute, attempts from stripe_events
        where processed_at is null and dead_at is null and next_attempt_at <= app_now()
        order by created_at, received_at limit 1 for update skip locked`.execute(tx)
      taken = rows[0]
      if (!taken) return null
      if (taken.customer_id !== null) await lockCustomer(tx, taken.customer_id)
      step?.('event taken')
      const others = changesCatalog(taken.type) ? await markCatalogEvents(tx, taken.id) : 0
      await handleEvent({ tx, stripe, log, mail, secrets, config, step }, taken)
      step?.('event applied')
      await tx
        .updateTable('stripe_events')
        .set({ processed_at: sql`app_now()`, error: null })
        .where('id', '=', taken.id)
        .execute()
      step?.('event marked')
      return 1 + others
    })
  } catch (error) {
    if (!taken) throw error
    await postpone({ db, log }, taken, error as Error)
    return 0
  }
}

/** Reading the catalog covers every catalog event that is already waiting. */
async function markCatalogEvents(tx: Queryable, exceptId: string): Promise<number> {
  const { numAffectedRows } = await sql`update stripe_events set processed_at = app_now(), error = null where id in (
    select id from stripe_events where processed_at is null and dead_at is null and next_attempt_at <= app_now()
      and type ~ ${CATALOG_TYPES} and id <> ${exceptId} for update skip locked)`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

async function postpone(
  { db, log }: Pick<Needs, 'db' | 'log'>,
  { id, type, attempts }: StoredEvent & { attempts: number },
  error: Error,
): Promise<void> {
  const dead = attempts + 1 >= MOST_ATTEMPTS
  log[dead ? 'fatal' : 'warn'](
    { event: id, type, error: error.message },
    dead ? 'gave up a Stripe event' : 'a Stripe event failed and will be retried',
  )
  await sql`update stripe_events set attempts = attempts + 1, error = ${error.message.slice(0, 500)},
    next_attempt_at = app_now() + least(power(2, attempts), 3600) * interval '1 second',
    dead_at = case when ${dead} then app_now() end where id = ${id} and processed_at is null`.execute(db.kysely)
}
