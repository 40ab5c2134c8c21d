import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { hashOfView } from './view-token.ts'

/** Ends a view at once. One that has ended, or that never was, changes nothing. */
export const endView = (db: Database, token: string): Promise<number> => end(db, hashOfView(token))

/** Writes the end of the views whose time is over, or whose session of the console, into the audit logs. Returns how many there were. */
export const endOverViews = (db: Database): Promise<number> => end(db, null)

async function end(db: Database, hash: Buffer | null): Promise<number> {
  return db.kysely.transaction().execute(async (tx) => {
    const { rows } = await sql<{ accountId: number }>`
      update support_views set ended_at = least(expires_at, app_now())
      where ended_at is null and (hash = ${hash}::bytea or (${hash === null} and (expires_at <= app_now() or console_session_hash is not null
        and not exists (select from operator_sessions s where s.hash = console_session_hash and s.expires_at > app_now()))))
      returning account_id as "accountId"`.execute(tx)
    for (const { accountId } of rows) await audit(tx, { accountId, actor: operator, action: 'account.view_ended' })
    return rows.length
  })
}
