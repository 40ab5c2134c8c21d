import type { Database } from '../db/database.ts'

/** The work that waits in the database for any instance: how much, and for how long. */
export interface Queue {
  queue: string
  waiting: number
  oldestSeconds: number
}

// A batch of emails or events is small, and each of these reads an index or a short table.
const counted = (queue: string, since: string, from: string): string =>
  `select '${queue}' as queue, count(*)::int as waiting,
     coalesce(greatest(extract(epoch from app_now() - min(${since})), 0), 0)::float8 as "oldestSeconds" from ${from}`

const always = [
  counted('mails', 'created_at', 'mail_outbox where expires_at > app_now()'),
  counted('stripe_events', 'received_at', 'stripe_events where processed_at is null and dead_at is null'),
  counted(
    'alert_webhooks',
    'next_attempt_at',
    'alert_deliveries where done_at is null and next_attempt_at <= app_now()',
  ),
]
/** graphile-worker creates its tables when it first starts. */
const jobs = counted('jobs', 'run_at', 'graphile_worker.jobs where run_at <= app_now() and attempts < max_attempts')

/** Reads the queues. Rejects if the database does not respond within `timeoutMs`. */
export async function readQueues({ pool }: Pick<Database, 'pool'>, timeoutMs: number): Promise<Queue[]> {
  const reading = (async () => {
    const { rows } = await pool.query<{ ready: boolean }>(
      `select to_regclass('graphile_worker.jobs') is not null as ready`,
    )
    const texts = rows[0]?.ready ? [...always, jobs] : always
    return (await pool.query<Queue>(texts.join(' union all '))).rows
  })()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), timeoutMs)
  })
  return Promise.race([reading, late]).finally(() => clearTimeout(timer))
}
