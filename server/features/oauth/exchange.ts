import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { managesSql } from '../account/has-access.ts'
import { revokeConnectionKey } from '../keys/revoke.ts'
import { type CredentialKind, hashCredential } from './credentials.ts'
import { pollDevice } from './device/poll.ts'
import { DEVICE_GRANT, resourceOf, wholeResourceOf } from './endpoints.ts'
import { mintTokens, type TokenAnswer } from './mint-tokens.ts'
import { OAuthError } from './oauth-error.ts'

/** A parameter of the token request; empty if it was not sent. */
export type TokenForm = (name: string) => string

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Redeems a code, a device code or a refresh token. Throws OAuthError. */
export async function exchangeToken(deps: Deps, form: TokenForm): Promise<TokenAnswer> {
  const grantType = form('grant_type')
  const resource = form('resource').replace(/\/$/, '')
  if (!['', resourceOf(deps.config), wholeResourceOf(deps.config)].includes(resource))
    throw new OAuthError('invalid_target', `Tokens of this server are for ${resourceOf(deps.config)} only.`)
  if (grantType === 'authorization_code') return redeem(deps, 'code', form('code'), form)
  if (grantType === 'refresh_token') return redeem(deps, 'refresh', form('refresh_token'), form)
  if (grantType === DEVICE_GRANT) return pollDevice(deps, form)
  throw new OAuthError('unsupported_grant_type', `Use authorization_code, refresh_token or ${DEVICE_GRANT}.`)
}

interface Found {
  grant_id: string
  resource: string
  redirect_uri: string | null
  code_challenge: string | null
  used: boolean
  expired: boolean
  client_id: string
  scope: string
  key_id: number
  live: boolean
}

async function redeem(deps: Deps, kind: CredentialKind, value: string, form: TokenForm): Promise<TokenAnswer> {
  const outcome = await deps.db.kysely.transaction().execute(async (tx) => {
    const found = await take(tx, deps, kind, value)
    if (!found || found.client_id !== form('client_id') || !found.live)
      return refuse('It is unknown, expired, revoked, or belongs to another client.')
    if (found.used) {
      // A second use may mean that it was stolen, so the connection ends for both.
      await revokeConnectionKey(tx, found.key_id)
      return refuse('It was already used, so the connection has ended. Connect again.')
    }
    if (found.expired) return refuse('It is unknown, expired, revoked, or belongs to another client.')
    if (kind === 'code' && found.redirect_uri !== form('redirect_uri'))
      return refuse('redirect_uri differs from the authorization request.')
    if (kind === 'code' && !provesChallenge(form('code_verifier'), found.code_challenge ?? ''))
      return refuse('code_verifier does not match the code_challenge.')
    return mintTokens(tx, { grantId: found.grant_id, resource: found.resource }, found.scope)
  })
  if (outcome instanceof OAuthError) throw outcome
  return outcome
}

const refuse = (reason: string): OAuthError => new OAuthError('invalid_grant', reason)

/**
 * Marks a live credential as used, under its lock; `used`: it already was. A credential of a banned user is not marked: it works
 * again after the ban.
 */
async function take(
  tx: Queryable,
  { config }: Pick<Deps, 'config'>,
  kind: CredentialKind,
  value: string,
): Promise<Found | undefined> {
  const hash = hashCredential(value)
  const { rows } = await sql<Found>`
    select c.grant_id, c.resource, c.redirect_uri, c.code_challenge, c.used_at is not null as used,
      c.expires_at <= app_now() as expired, g.client_id, g.scope, g.key_id,
      k.deleted_at is null and ${sql.raw(managesSql(config, 'g.user_id', 'g.account_id'))} as live
    from oauth_credentials c join oauth_grants g on g.id = c.grant_id join api_keys k on k.id = g.key_id
    where c.hash = ${hash} and c.kind = ${kind} for update of c`.execute(tx)
  if (rows[0]?.live && !rows[0].used)
    await sql`update oauth_credentials set used_at = app_now() where hash = ${hash}`.execute(tx)
  return rows[0]
}

function provesChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const computed = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  const expected = Buffer.from(challenge)
  return computed.length === expected.length && timingSafeEqual(computed, expected)
}

/** RFC 7009: ends the whole connection of an access or refresh token. Unknown tokens are no error. */
export async function revokeToken(deps: Deps, token: string): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    const { rows } = await sql<{ key_id: number }>`
      select g.key_id from oauth_credentials c join oauth_grants g on g.id = c.grant_id
      where c.hash = ${hashCredential(token)} and c.kind in ('access', 'refresh')`.execute(tx)
    if (rows[0]) await revokeConnectionKey(tx, rows[0].key_id)
  })
}
