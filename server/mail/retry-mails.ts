import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import { OUTBOX_CHANNEL } from './queue-mail.ts'

/** Makes emails that still wait in the outbox due now. Returns how many. */
export async function retryMails(tx: Queryable, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update mail_outbox set next_attempt_at = app_now() where id = any(${ids}::uuid[])`.execute(tx)
  await sql`select pg_notify(${OUTBOX_CHANNEL}, '')`.execute(tx)
  return Number(numAffectedRows)
}
