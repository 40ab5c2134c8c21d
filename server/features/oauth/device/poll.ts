import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { managesSql } from '../../account/has-access.ts'
import { hashCredential } from '../credentials.ts'
import { mintTokens, type TokenAnswer } from '../mint-tokens.ts'
import { OAuthError } from '../oauth-error.ts'

/** What a poll that came too early adds to the interval (RFC 8628, 3.5). */
const SLOWER_SECONDS = 5

interface Row {
  client_id: string
  /** What was granted. */
  scope: string
  resource: string
  expired: boolean
  denied: boolean
  too_fast: boolean
  grant_id: string | null
  live: boolean | null
}

/**
 * The token request of a program that waits (RFC 8628, 3.4). Tokens are given out once. Throws OAuthError:
 * authorization_pending, slow_down, access_denied, expired_token, invalid_grant.
 */
export async function pollDevice(deps: Deps, form: (name: string) => string): Promise<TokenAnswer> {
  const hash = hashCredential(form('device_code'))
  // Errors are thrown after the transaction, because the time of the poll must be kept.
  const outcome = await deps.db.kysely.transaction().execute((tx) => answer(tx, deps, hash, form('client_id')))
  if (outcome instanceof OAuthError) throw outcome
  return outcome
}

async function answer(tx: Queryable, deps: Deps, hash: Buffer, client: string): Promise<TokenAnswer | OAuthError> {
  const { rows } = await sql<Row>`
    select d.client_id, coalesce(g.scope, d.scope) as scope, d.resource, d.grant_id, d.expires_at <= app_now() as expired,
      d.denied_at is not null as denied,
      coalesce(d.polled_at + make_interval(secs => d.interval_seconds) > app_now(), false) as too_fast,
      k.deleted_at is null and ${sql.raw(managesSql(deps.config, 'g.user_id', 'g.account_id'))} as live
    from oauth_device_requests d left join oauth_grants g on g.id = d.grant_id left join api_keys k on k.id = g.key_id
    where d.hash = ${hash} for update of d`.execute(tx)
  const [row] = rows
  if (!row || row.client_id !== client)
    return new OAuthError(
      'invalid_grant',
      'The device code is unknown, was already used, or belongs to another client.',
    )
  if (row.denied) return new OAuthError('access_denied', 'The request was denied.')
  if (row.expired) return new OAuthError('expired_token', 'The code has expired. Ask for a new one.')
  if (row.grant_id) {
    await tx.deleteFrom('oauth_device_requests').where('hash', '=', hash).execute()
    if (!row.live) return new OAuthError('access_denied', 'The connection was ended before it was used.')
    return mintTokens(tx, { grantId: row.grant_id, resource: row.resource }, row.scope)
  }
  await sql`
    update oauth_device_requests set polled_at = app_now(),
      interval_seconds = interval_seconds + ${row.too_fast ? SLOWER_SECONDS : 0}
    where hash = ${hash}`.execute(tx)
  return row.too_fast
    ? new OAuthError('slow_down', `Wait ${SLOWER_SECONDS} seconds longer between two polls.`)
    : new OAuthError('authorization_pending', 'Nobody has answered the request yet.')
}
