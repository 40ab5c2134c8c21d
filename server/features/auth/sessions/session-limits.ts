import { type RawBuilder, sql } from 'kysely'
import type { Config } from '../../../config/config.ts'
import type { Queryable } from '../../../db/database.ts'

type Limits = Pick<
  Config,
  'AUTH_SESSION_HOURS' | 'AUTH_SESSION_IDLE_HOURS' | 'AUTH_SESSION_AAL1_HOURS' | 'AUTH_SESSION_SINGLE'
>

/** What the error adds to "Session Expired". */
export type SessionOver = '' | ' (Inactivity)' | ' (Low AAL: User Needs MFA Verification)' | ' (Revoked by Newer Login)'

/** Why the session `s` of a query exceeds the operator's limits; null: it does not. */
export const sessionOver = (limits: Limits): RawBuilder<SessionOver | null> => sql<SessionOver | null>`case
  when s.created_at < app_now() - ${interval(limits.AUTH_SESSION_HOURS)}::interval then ''
  when s.refreshed_at < app_now() - ${interval(limits.AUTH_SESSION_IDLE_HOURS)}::interval then ' (Inactivity)'
  when s.aal = 'aal1' and s.created_at < app_now() - ${interval(limits.AUTH_SESSION_AAL1_HOURS)}::interval
    and exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified')
    then ' (Low AAL: User Needs MFA Verification)'
  when ${limits.AUTH_SESSION_SINGLE === 'on'}
    and exists (select from auth.sessions n where n.user_id = s.user_id and n.created_at > s.created_at)
    then ' (Revoked by Newer Login)' end`

/** Seconds left for a session that did not verify the user's second factor; null: no limit applies. */
export async function weakSessionSeconds(
  db: Queryable,
  { AUTH_SESSION_AAL1_HOURS }: Pick<Config, 'AUTH_SESSION_AAL1_HOURS'>,
  sessionId: string,
): Promise<number | null> {
  if (AUTH_SESSION_AAL1_HOURS === undefined) return null
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from s.created_at + ${interval(AUTH_SESSION_AAL1_HOURS)}::interval - app_now()))::int as seconds
    from auth.sessions s where s.id = ${sessionId} and s.aal = 'aal1'
      and exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified')`.execute(db)
  return rows[0]?.seconds ?? null
}

/** Without a limit the interval is null, and no comparison with it is true. */
export const interval = (hours: number | undefined): string | null =>
  hours === undefined ? null : `${hours * 3600} seconds`
