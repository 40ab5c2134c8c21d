import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { SECOND_FACTORS } from '../../auth/factors/recent-proof.ts'
import { hashOf, SESSION_HOURS } from './cookie.ts'

/**
 * Opens a session of the console for the person of an access token, if they are an operator, and ends the one that it replaces.
 * The first entrance binds the operator's row to the user. It needs a proof that the address is theirs: our own sign-in confirmed
 * it, or they have the `code` of an entry link. Returns false for everybody else. Throws unauthorized, and
 * second_factor_required for a sign-in that has yet to give its second factor.
 */
export async function openOperatorSession(
  { db, accessTokens, config }: Deps,
  accessToken: string,
  secret: string,
  { replaced, code }: { replaced: string | null; code: string | null },
): Promise<boolean> {
  const { sub, email, sessionId, amr } = await accessTokens.verify(accessToken, { anyLevel: true })
  const proofs = amr.filter(({ method }) => (SECOND_FACTORS as readonly string[]).includes(method))
  const provedAt = proofs.length > 0 ? Math.max(...proofs.map(({ timestamp }) => timestamp)) : null
  const invited = sql`(o.entry_hash = ${code && hashOf(code)} and o.entry_until > app_now())`
  // The row that they entered with counts, also when their new address has one of its own.
  const mine = sql`id = (select id from operators o
    where user_id = ${sub} or (user_id is null and email = lower(${email}) and ${
      config.AUTH_URL
        ? invited
        : sql`exists (select from auth.users u where u.id = ${sub} and not u.email_assumed
            and ((u.email = o.email and u.email_confirmed_at is not null) or ${invited}))`
    })
    order by user_id nulls last limit 1)`
  const { rows } = await sql<{ id: number }>`select id from operators where ${mine}`.execute(db.kysely)
  if (rows.length === 0) return false
  // The second factor is asked of operators alone: others learn nothing here.
  await accessTokens.verify(accessToken)
  const proved = provedAt !== null
  const authSession = config.AUTH_URL ? null : sessionId
  const inserted = await sql`
    with bound as (
        update operators set user_id = ${sub}, entry_hash = null, factor_seen_at = coalesce(factor_seen_at, case when ${proved} then app_now() end)
        where ${mine} and coalesce(user_id, ${sub}) = ${sub} returning id, factor_seen_at),
      ended as (delete from operator_sessions where expires_at <= app_now() or hash = ${replaced && hashOf(replaced)}),
      kept as (update support_views set console_session_hash = ${hashOf(secret)} where console_session_hash = ${replaced && hashOf(replaced)}
        and operator_id = (select id from bound))
    insert into operator_sessions (hash, operator_id, auth_session, proved_at, factor_since, expires_at)
    select ${hashOf(secret)}, id, ${authSession},
      case when ${proved} then least(to_timestamp(${provedAt}::double precision), app_now()) end,
      coalesce((select max(coalesce(f.verified_at, f.created_at)) from auth.session_methods m join auth.mfa_factors f on f.id = m.factor_id
        where m.session_id = ${authSession}), factor_seen_at),
      app_now() + make_interval(hours => ${SESSION_HOURS})
    from bound returning 1`.execute(db.kysely)
  return inserted.rows.length > 0
}
