import { sql } from 'kysely'
import type { Database, Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { transactWithStripe } from '../lease/in-lease.ts'
import {
  awaitedLeases,
  CATALOG_LEASE,
  type Lease,
  LeaseLost,
  LeaseTaken,
  releaseLease,
  takeLease,
} from '../lease/take-lease.ts'
import { type EventContext, lockCustomer } from './event-context.ts'
import { CATALOG_TYPES, changesCatalog, handleEvent, type StoredEvent } from './handle-event.ts'

const MOST_ATTEMPTS = 10

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

/**
 * Applies waiting events until none is left: each in one transaction with its processed mark, those of one customer in
 * sequence, on any number of instances: the one that holds the customer's lease. A failing event is retried with growing delays
 * and given up after ten attempts, with an alert. `step` lets a test stop between two effects. Returns how many were applied.
 */
export async function processEvents(deps: Needs, step?: EventContext['step']): Promise<number> {
  let done = 0
  if (!deps.stripe) return done
  for (;;) {
    const event = await nextEvent(deps.db)
    if (!event) return done
    const lease = await takeLease(deps.db, event.lease)
    // Otherwise another instance was faster, and this one looks for what is left.
    if (lease) done += await applyEvent(deps, lease, event, step).finally(() => releaseLease(deps.db, lease))
  }
}

/** Whether events wait that can be tried within a minute: they failed, or somebody is at work on their customer. */
export async function eventsWait({ kysely }: Database): Promise<boolean> {
  const { rows } = await sql`select from stripe_events
    where processed_at is null and dead_at is null and next_attempt_at <= app_now() + interval '1 minute' limit 1`.execute(
    kysely,
  )
  return rows.length > 0
}

type Waiting = StoredEvent & { attempts: number; lease: string }

/** The oldest event that waits, and whose lease is free and not awaited here. */
async function nextEvent(db: Database): Promise<Waiting | undefined> {
  const { rows } = await sql<Waiting>`
    select * from (
      select id, type, object_id, customer_id, dispute, attempts, created_at, received_at,
        case when type ~ ${CATALOG_TYPES} then ${CATALOG_LEASE} else coalesce('customer:' || customer_id, 'event:' || id) end as lease
      from stripe_events where processed_at is null and dead_at is null and next_attempt_at <= app_now()) e
    where not exists (select from billing_leases l where l.name = e.lease and l.until > clock_timestamp())
      and e.lease <> all(${awaitedLeases()}::text[])
    order by created_at, received_at limit 1`.execute(db.kysely)
  return rows[0]
}

/** Returns how many events that settled: 0 if it failed and will be retried, or if it was done meanwhile. */
async function applyEvent(
  { db, log, mail, stripe, secrets, config }: Needs,
  lease: Lease,
  event: Waiting,
  step?: EventContext['step'],
): Promise<number> {
  if (!stripe) return 0
  try {
    const work = async (tx: Queryable) => {
      const { rows } = await sql`
        select from stripe_events where id = ${event.id} and processed_at is null and dead_at is null for update`.execute(
        tx,
      )
      if (rows.length === 0) return 0
      if (event.customer_id !== null) await lockCustomer(tx, event.customer_id)
      step?.('event taken')
      const others = changesCatalog(event.type) ? await markCatalogEvents(tx, event.id) : 0
      await handleEvent({ tx, stripe, log, mail, secrets, config, step }, event)
      step?.('event applied')
      await tx
        .updateTable('stripe_events')
        .set({ processed_at: sql`app_now()`, error: null })
        .where('id', '=', event.id)
        .execute()
      step?.('event marked')
      return 1 + others
    }
    return await transactWithStripe(db, lease, work, { waits: false })
  } catch (error) {
    // The server that took over applies the event: this is no failure of the event's own.
    if (error instanceof LeaseLost) return 0
    if (error instanceof LeaseTaken) await leave(db, event)
    else await postpone({ db, log }, event, error as Error)
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

/** For a second: other customers' events come first. */
const leave = (db: Database, { id }: StoredEvent) =>
  sql`update stripe_events set next_attempt_at = app_now() + interval '1 second' where id = ${id}`.execute(db.kysely)

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
