import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Deletes what can no longer be used: counts of requested codes, expired codes, flows that were never finished. */
export async function forgetAuthLeftovers({ kysely }: Database): Promise<void> {
  await kysely
    .deleteFrom('auth.code_requests')
    .where('sent_at', '<', sql<Date>`app_now() - interval '2 hours'`)
    .execute()
  await kysely.deleteFrom('auth.one_time_tokens').where('link_expires_at', '<', sql<Date>`app_now()`).execute()
  await kysely.deleteFrom('auth.undo_links').where('expires_at', '<', sql<Date>`app_now()`).execute()
  await kysely
    .deleteFrom('auth.flow_states')
    .where('created_at', '<', sql<Date>`app_now() - interval '1 day'`)
    .execute()
}
