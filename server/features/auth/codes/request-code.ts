import { sql } from 'kysely'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { countMail } from '../limits.ts'

const PAUSE_SECONDS = 60
const AN_HOUR = 10

/**
 * Counts a request for a code or link to an address, and its mail against the installation's budget, also for
 * unknown addresses. `ip` is the caller's. Throws 429 within a minute of the last one of this purpose, beyond ten an
 * hour, beyond the budget, and beyond the limits of caller and mailbox, so that no single caller uses up the budget.
 * AUTH_RATE_LIMITS=off lifts all of it for text messages; a mailbox keeps its pause.
 */
export async function countCodeRequest(
  { config, db, secrets, limits }: Pick<AuthDeps, 'config' | 'db' | 'secrets' | 'limits'>,
  kind: 'email' | 'sms',
  purpose: string,
  address: string,
  ip: string,
): Promise<void> {
  if (kind === 'sms' && config.AUTH_RATE_LIMITS === 'off') return
  const hash = secrets.mac('auth.code_requests', address)
  const { rows } = await sql<{ mailbox: string }>`
    insert into auth.code_requests as r (address_hash, purpose, sent_at, hour_began_at, sent_in_hour)
    values (${hash}, ${purpose}, app_now(), app_now(), 1)
    on conflict (address_hash, purpose) do update set
      sent_at = app_now(),
      hour_began_at = case when r.hour_began_at <= app_now() - interval '1 hour' then app_now() else r.hour_began_at end,
      sent_in_hour = case when r.hour_began_at <= app_now() - interval '1 hour' then 1 else r.sent_in_hour + 1 end
    where r.sent_at <= app_now() - make_interval(secs => ${PAUSE_SECONDS})
      and (r.hour_began_at <= app_now() - interval '1 hour' or r.sent_in_hour < ${AN_HOUR})
    returning mailbox_of(${address}) as mailbox`.execute(db.kysely)
  if (rows[0]) {
    await limits.count('auth.code', { address: ip, recipient: rows[0].mailbox })
    if (kind === 'email') await countMail({ limits })
    return
  }
  const { rows: waits } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from greatest(
      sent_at + make_interval(secs => ${PAUSE_SECONDS}),
      case when sent_in_hour >= ${AN_HOUR} then hour_began_at + interval '1 hour' else sent_at end) - app_now()))::int as seconds
    from auth.code_requests where address_hash = ${hash} and purpose = ${purpose}`.execute(db.kysely)
  const seconds = Math.max(1, waits[0]?.seconds ?? 1)
  throw new AuthError(
    429,
    kind === 'email' ? 'over_email_send_rate_limit' : 'over_sms_send_rate_limit',
    `For security purposes, you can only request this after ${seconds} seconds.`,
  )
}
