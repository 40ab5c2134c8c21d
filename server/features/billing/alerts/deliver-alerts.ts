import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { createGuardedFetch } from '../../../net/guarded-fetch.ts'
import { alertSecret, allowsPrivateNetworks } from './alert-webhook.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'secrets' | 'config'>

const TIMEOUT_MS = 10_000
/** Only the status counts; the body is never read. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Seconds before each retry. After the last one the alert is given up. */
const BACKOFF_S = [5, 60, 600, 3_600, 6 * 3_600, 24 * 3_600]

interface Waiting {
  id: string
  account_id: number
  body: string
  attempts: number
  url: string
  salt: string
  secret: Buffer | null
}

/** Posts queued alerts, signed per Standard Webhooks. Retries keep the alert's id. Returns how many arrived. */
export async function deliverAlerts(deps: Needs): Promise<number> {
  const { db } = deps
  const { rows } = await sql<Waiting>`
    with taken as (
      update alert_deliveries set attempts = attempts + 1, next_attempt_at = app_now() + interval '1 minute'
      where id in (select id from alert_deliveries where done_at is null and next_attempt_at <= app_now()
        order by next_attempt_at limit 20 for update skip locked) returning *
    ) select t.id, t.account_id, t.body, t.attempts, w.url, w.salt, w.secret from taken t join alert_webhooks w using (account_id)`.execute(
    db.kysely,
  )
  const tried = rows.map(async (waiting) => {
    const error = await deliver(deps, waiting)
    const wait = error === null ? undefined : BACKOFF_S[waiting.attempts - 1]
    await sql`update alert_deliveries set error = ${error}, done_at = case when ${wait === undefined} then app_now() end,
      next_attempt_at = app_now() + ${wait ?? 0} * interval '1 second' where id = ${waiting.id}`.execute(db.kysely)
    return error === null
  })
  // At once: a receiver that never answers would delay those of others.
  return (await Promise.all(tried)).filter(Boolean).length
}

/** Queues alerts again, with all attempts, for the webhooks that there still are. Returns how many. */
export async function requeueAlerts(tx: Queryable, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update alert_deliveries d set done_at = null, attempts = 0, next_attempt_at = app_now() from alert_webhooks w
    where w.account_id = d.account_id and d.id = any(${ids}::uuid[])`.execute(tx)
  return Number(numAffectedRows)
}

async function deliver(deps: Needs, waiting: Waiting): Promise<string | null> {
  const { id, account_id, body, url } = waiting
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(alertSecret(deps, waiting).slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  try {
    const post = createGuardedFetch({
      privateNetworks: allowsPrivateNetworks(deps),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    })
    const answer = await post(url, { method: 'POST', headers, body })
    await answer.body?.cancel()
    return answer.ok ? null : `answered ${answer.status}`
  } catch (error) {
    deps.log.warn({ account: account_id, error: (error as Error).message }, 'an alert could not be posted')
    return (error as Error).message.slice(0, 200)
  }
}
