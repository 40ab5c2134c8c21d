import { sql } from 'kysely'
import type { z } from 'zod'
import type { customerWebhooks } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { findCustomer } from './customer-facts.ts'

type Webhooks = z.input<typeof customerWebhooks>

const LAST = 50

/** The customer's alert webhook and the last alerts for it. Throws not_found. */
export async function readWebhooks(db: Queryable, publicId: string): Promise<Webhooks> {
  const { number: account } = await findCustomer(db, publicId)
  const [hook, deliveries] = await Promise.all([
    db.selectFrom('alert_webhooks').select('url').where('account_id', '=', account).executeTakeFirst(),
    sql<Webhooks['deliveries'][number]>`
      select id, attempts, error, to_char(coalesce(done_at, next_attempt_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        case when done_at is null then case when error is null then 'waiting' else 'failing' end
          else case when error is null then 'delivered' else 'given_up' end end as state
      from alert_deliveries where account_id = ${account} order by next_attempt_at desc, id limit ${LAST}`.execute(db),
  ])
  return { origin: hook ? new URL(hook.url).origin : null, deliveries: deliveries.rows }
}
