import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Queryable } from '../../../db/database.ts'

/** Longer than one request to Stripe with its retry takes; the holder renews before each. */
const LEASE = sql`interval '60 seconds'`
const WAIT_MS = 65_000
const LOOK_EVERY_MS = 50

export interface Lease {
  name: string
  fence: number
}

export const leaseOfCustomer = (customerId: string): string => `customer:${customerId}`
export const leaseOfAccount = (accountId: number): string => `account:${accountId}`
export const leaseOfCharge = (chargeId: string): string => `charge ${chargeId}`
export const CATALOG_LEASE = 'catalog'

/** Another holder took the lease after this one's had run out. Nothing was written. */
export class LeaseLost extends Error {
  constructor({ name }: Lease) {
    super(`Another server has taken over ${name}. Nothing was changed; the next attempt starts again.`)
  }
}

/** Another holder has a lease that this work needs, too. Nothing was written. */
export class LeaseTaken extends Error {
  constructor(name: string) {
    super(`Another server is at work on ${name}.`)
  }
}

/** Takes the lease if nobody has it, with a higher fence than every earlier holder; else null. */
export async function takeLease(db: Database, name: string): Promise<Lease | null> {
  const { rows } = await sql<{ fence: number }>`
    insert into billing_leases (name, until) values (${name}, clock_timestamp() + ${LEASE})
    on conflict (name) do update set fence = billing_leases.fence + 1, until = excluded.until
      where billing_leases.until <= clock_timestamp() returning fence`.execute(db.kysely)
  return rows[0] ? { name, fence: rows[0].fence } : null
}

/** How many in this process wait for a lease, by its name. */
const waiting = new Map<string, number>()
/** A worker of events would take its customer's lease again before a request that looks now and then. It lets these go first. */
export const awaitedLeases = (): string[] => [...waiting.keys()]

/** The same, waiting for its holder to end, or to be given up. Throws when it stays taken. */
export async function awaitLease(db: Database, name: string): Promise<Lease> {
  waiting.set(name, (waiting.get(name) ?? 0) + 1)
  try {
    for (let waitedMs = 0; waitedMs <= WAIT_MS; waitedMs += LOOK_EVERY_MS) {
      const lease = await takeLease(db, name)
      if (lease) return lease
      await sleep(LOOK_EVERY_MS)
    }
  } finally {
    const others = (waiting.get(name) ?? 1) - 1
    if (others > 0) waiting.set(name, others)
    else waiting.delete(name)
  }
  throw new Error(`${name} is still in use by another server.`)
}

/**
 * Extends the lease. Within a transaction, this also locks its row until the end: nobody can take it over before. Throws LeaseLost when
 * somebody has.
 */
export async function renewLease(db: Queryable, lease: Lease): Promise<void> {
  const { rows } = await sql`update billing_leases set until = clock_timestamp() + ${LEASE}
    where name = ${lease.name} and fence = ${lease.fence} returning fence`.execute(db)
  if (rows.length === 0) throw new LeaseLost(lease)
}

/** Ends the lease. The row stays, for its fence. */
export const releaseLease = (db: Database, { name, fence }: Lease): Promise<unknown> =>
  sql`update billing_leases set until = clock_timestamp() where name = ${name} and fence = ${fence}`.execute(db.kysely)
