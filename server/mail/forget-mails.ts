import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** Forgets what became of mails after thirty days, and those that a server of an earlier release has sent without saying so. */
export const forgetMails = (db: Queryable): Promise<unknown> =>
  sql`delete from mail_log m where created_at < app_now() - interval '30 days' or (state = 'waiting'
    and created_at < app_now() - interval '25 hours' and not exists (select from mail_outbox o where o.id = m.id))`.execute(
    db,
  )
