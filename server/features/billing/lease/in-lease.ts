import type { Database, Queryable } from '../../../db/database.ts'
import { type Conversation, inConversation } from './ask-between.ts'
import { awaitLease, type Lease, LeaseTaken, releaseLease, renewLease, takeLease } from './take-lease.ts'

/** More requests than any transaction makes: beyond, it asks something else each time. */
const MOST_RUNS = 100

/** Runs `work` while holding the lease of this name, after its present holder. */
export async function inLease<T>(db: Database, name: string, work: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await awaitLease(db, name)
  try {
    return await work(lease)
  } finally {
    await releaseLease(db, lease)
  }
}

/**
 * Runs a transaction that asks Stripe, without holding a connection while Stripe answers. When the transaction asks for
 * something, it is rolled back, the request is sent, and the transaction runs again and gets the reply at the same point. So
 * `work` runs once more than it has requests: in the same state it must ask the same, and everything that it does must be in
 * `tx`. Each run writes only while it holds the lease and those that the work needs (`needLease`). It waits for these, or
 * throws LeaseTaken if `waits` is false. Throws LeaseLost.
 */
export async function transactWithStripe<T>(
  db: Database,
  lease: Lease,
  work: (tx: Queryable) => Promise<T>,
  { waits = true } = {},
): Promise<T> {
  const leases = new Map([[lease.name, lease]])
  const addLease = async (name: string) => {
    const added = await (waits ? awaitLease : takeLease)(db, name)
    if (!added) throw new LeaseTaken(name)
    leases.set(name, added)
  }
  const conversation: Conversation = { replies: [], asked: 0, leases, addLease, missing: null }
  try {
    for (let run = 0; run < MOST_RUNS; run++) {
      conversation.asked = 0
      conversation.missing = null
      try {
        return await db.kysely.transaction().execute(async (tx) => {
          for (const held of leases.values()) await renewLease(tx, held)
          const done = await inConversation(conversation, () => work(tx))
          // The work may have caught the error that stood for what it lacks.
          if (conversation.missing) throw new Error('asked after the transaction')
          return done
        })
      } catch (error) {
        const missing = conversation.missing as Conversation['missing']
        if (!missing) throw error
        for (const held of leases.values()) await renewLease(db.kysely, held)
        await missing()
      }
    }
  } finally {
    leases.delete(lease.name)
    for (const held of leases.values()) await releaseLease(db, held)
  }
  throw new Error(`A transaction of ${lease.name} asks Stripe something else each time.`)
}

/** Both: one transaction that asks Stripe, under the lease of this name. */
export const transactInLease = <T>(db: Database, name: string, work: (tx: Queryable) => Promise<T>): Promise<T> =>
  inLease(db, name, (lease) => transactWithStripe(db, lease, work))
