import { randomBytes } from 'node:crypto'
import { type OAuthScope, oauthScopes } from '#contract/oauth-scopes.ts'
import type { Deps } from '../../../deps.ts'
import { hashCredential } from '../credentials.ts'
import { SCOPE, wholeResourceOf } from '../endpoints.ts'
import { OAuthError } from '../oauth-error.ts'
import { requireDeviceClient } from './clients.ts'
import { newUserCode, shownUserCode } from './user-code.ts'

const REQUEST_SECONDS = 600
const INTERVAL_SECONDS = 5

export interface DeviceAuthorization {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/**
 * POST /oauth/device_authorization (RFC 8628, 3.1): stores what a program asks for and returns its two codes. Also deletes
 * requests that expired a day ago. Throws OAuthError, rate_limited.
 */
export async function beginDeviceRequest(
  deps: Deps,
  form: (name: string) => string,
  ip: string,
): Promise<DeviceAuthorization> {
  const client = form('client_id')
  await requireDeviceClient(deps, client, ip)
  const resource = wholeResourceOf(deps.config)
  if (form('resource') !== '' && form('resource').replace(/\/$/, '') !== resource)
    throw new OAuthError('invalid_target', `Tokens of this grant are for ${resource} only.`)
  const scopes = form('scope').split(' ').filter(Boolean)
  if (!scopes.every((scope) => oauthScopes.includes(scope as OAuthScope)))
    throw new OAuthError('invalid_scope', `The scopes of this server are ${oauthScopes.join(' ')}.`)
  const deviceCode = `fmdc_${randomBytes(32).toString('base64url')}`
  const userCode = newUserCode()
  // Two live requests with one code are as likely as guessing one; the second is then refused by the unique index.
  await deps.db.pool.query(
    `with forgotten as (delete from oauth_device_requests where expires_at < app_now() - interval '1 day')
     insert into oauth_device_requests
       (hash, user_code, client_id, scope, resource, address, interval_seconds, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, app_now() + make_interval(secs => $8))`,
    [
      hashCredential(deviceCode),
      userCode,
      client,
      [...new Set(scopes.length > 0 ? scopes : [SCOPE])].join(' '),
      resource,
      ip,
      INTERVAL_SECONDS,
      REQUEST_SECONDS,
    ],
  )
  const page = `${deps.config.PUBLIC_URL}/device`
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: page,
    verification_uri_complete: `${page}?code=${shownUserCode(userCode)}`,
    expires_in: REQUEST_SECONDS,
    interval: INTERVAL_SECONDS,
  }
}
