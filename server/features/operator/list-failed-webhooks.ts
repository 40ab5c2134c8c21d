import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export interface FailedWebhook {
  id: string
  ownerEmail: string | null
  /** Without path and query, which may hold a secret of the customer's. */
  origin: string | null
  attempts: number
  error: string
  /** Null: given up. */
  nextAttemptAt: Date | null
}

/** Alerts whose last attempt failed, those that are tried again first. */
export async function listFailedWebhooks(db: Queryable, limit: number): Promise<FailedWebhook[]> {
  const { rows } = await sql<FailedWebhook & { url: string | null }>`
    select d.id, p.email as "ownerEmail", w.url, d.attempts, d.error,
      case when d.done_at is null then d.next_attempt_at end as "nextAttemptAt"
    from alert_deliveries d
    left join alert_webhooks w using (account_id)
    left join account_members m on m.account_id = d.account_id and m.role = 'owner'
    left join profiles p on p.user_id = m.user_id
    where d.error is not null
    order by d.done_at desc nulls first, d.next_attempt_at desc limit ${limit}`.execute(db)
  return rows.map(({ url, ...row }) => ({ ...row, origin: url === null ? null : new URL(url).origin }))
}
