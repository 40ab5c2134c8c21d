import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../db/database.ts'

/** The webhook payload, without workspace and time, which are added here. */
export interface Alert {
  type: 'usage.alert' | 'spend_cap.alert'
  data: Record<string, number | string | Date>
}

/** Queues an alert for the account's webhook, if it has one, in the caller's transaction. */
export async function queueAlert(tx: Queryable, accountId: number, { type, data }: Alert): Promise<void> {
  const account = await tx
    .selectFrom('alert_webhooks as w')
    .innerJoin('accounts as a', 'a.id', 'w.account_id')
    .select('a.public_id as workspace')
    .where('w.account_id', '=', accountId)
    .executeTakeFirst()
  if (!account) return
  const body = JSON.stringify({ type, timestamp: new Date(), data: { ...account, ...data } })
  await tx.insertInto('alert_deliveries').values({ id: randomUUID(), account_id: accountId, body }).execute()
}
