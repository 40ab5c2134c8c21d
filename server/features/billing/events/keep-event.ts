import type { Queryable } from '../../../db/database.ts'
import type { EventHint } from '../stripe/read-event.ts'

/** Stores an event for the worker, once. Returns false when it was already stored. */
export async function keepEvent(db: Queryable, event: EventHint): Promise<boolean> {
  const made = await db
    .insertInto('stripe_events')
    .values({
      id: event.id,
      type: event.type,
      object_id: event.objectId,
      customer_id: event.customerId,
      dispute: event.dispute && JSON.stringify(event.dispute),
      created_at: event.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}
