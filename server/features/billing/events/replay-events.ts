import { sql } from 'kysely'
import type { Database, Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { processEvents } from './process-events.ts'

export interface DeadEvent {
  id: string
  type: string
  error: string | null
}

/** Events that were given up after ten attempts, oldest first. */
export const listDeadEvents = (db: Database): Promise<DeadEvent[]> =>
  db.kysely
    .selectFrom('stripe_events')
    .select(['id', 'type', 'error'])
    .where('dead_at', 'is not', null)
    .where('processed_at', 'is', null)
    .orderBy('created_at')
    .execute()

/**
 * Applies an event again, whatever its state; an applied one changes nothing. Returns the error message, or null.
 * Throws when there is no such event.
 */
export async function replayEvent(
  deps: Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>,
  id: string,
): Promise<string | null> {
  if ((await reopenEvents(deps.db.kysely, [id])) === 0) throw new Error(`There is no event ${id}.`)
  await processEvents(deps)
  const { error } = await deps.db.kysely
    .selectFrom('stripe_events')
    .select('error')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return error
}

/** Lets events be applied again, with ten attempts, whatever their state. Returns how many there are. */
export async function reopenEvents(tx: Queryable, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update stripe_events set processed_at = null, dead_at = null, attempts = 0, error = null, next_attempt_at = app_now()
    where id = any(${ids})`.execute(tx)
  return Number(numAffectedRows)
}
