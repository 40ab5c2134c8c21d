import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import type { Queryable } from '../../../db/database.ts'
import { readPhone } from '../address.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import type { CurrentUser } from '../sessions/current-user.ts'
import { type KnownUser, lockUser } from '../users/find-user.ts'

const MOST = 10
const SECRET_BYTES = 20
export const SECRET_PURPOSE = 'auth.mfa_factors.secret'
/** An unverified factor without a challenge is abandoned after this time. */
const ABANDONED = '5 minutes'

interface Enrollment {
  factor_type?: string
  friendly_name?: string
  issuer?: string
  phone?: string
}

/** Creates an unverified factor and returns what the user needs to set it up. */
export async function enrollFactor(deps: AuthDeps, caller: CurrentUser, given: Enrollment): Promise<object> {
  const { factor_type: type, friendly_name = '' } = given
  if (type === 'webauthn' && deps.config.AUTH_WEBAUTHN === 'off')
    throw new AuthError(422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn')
  if (type !== 'totp' && type !== 'phone' && type !== 'webauthn')
    throw invalid('factor_type needs to be totp, phone, or webauthn')
  if (type === 'phone' && !deps.sms)
    throw new AuthError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
  const phone = type === 'phone' ? readPhone(given.phone ?? '') : null

  return deps.db.kysely.transaction().execute(async (tx) => {
    const user = await lockUser(tx, caller.userId)
    await refuseEnrollment(tx, user, { friendlyName: friendly_name, phone })
    const id = randomUUID()
    const secret = type === 'totp' ? new Secret({ size: SECRET_BYTES }) : null
    await tx
      .insertInto('auth.mfa_factors')
      .values({
        id,
        user_id: user.id,
        factor_type: type,
        friendly_name,
        phone,
        secret: secret && deps.secrets.encrypt(SECRET_PURPOSE, secret.base32, id),
      })
      .execute()
    await noteSecurityEvent(tx, user.id, 'auth.factor_enrolled', id, { type })
    const answer = { id, type, friendly_name }
    if (!secret) return type === 'phone' ? { ...answer, phone } : answer
    const uri = new TOTP({
      issuer: given.issuer || new URL(deps.config.PUBLIC_URL).host,
      label: user.email ?? user.phone ?? user.id,
      secret,
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
    }).toString()
    return { ...answer, totp: { qr_code: await drawCode(uri), secret: secret.base32, uri } }
  })
}

async function refuseEnrollment(
  tx: Queryable,
  user: KnownUser,
  { friendlyName, phone }: { friendlyName: string; phone: string | null },
): Promise<void> {
  await tx
    .deleteFrom('auth.mfa_factors')
    .where('user_id', '=', user.id)
    .where('status', '=', 'unverified')
    .where('last_challenged_at', 'is', null)
    .where('created_at', '<', sql<Date>`app_now() - ${ABANDONED}::interval`)
    .execute()
  const factors = await tx
    .selectFrom('auth.mfa_factors')
    .select(['friendly_name', 'phone', 'status'])
    .where('user_id', '=', user.id)
    .execute()
  if (factors.length >= MOST)
    throw new AuthError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  if (phone && factors.some((factor) => factor.phone === phone && factor.status === 'verified'))
    throw new AuthError(
      422,
      'mfa_verified_factor_exists',
      'A verified phone factor already exists, unenroll the existing factor to continue',
    )
  if (factors.some((factor) => factor.friendly_name === friendlyName))
    throw new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${friendlyName}" for this user already exists`,
    )
}

/** Clients put the image into a data: URL unescaped, where a # would start the fragment. */
async function drawCode(uri: string): Promise<string> {
  const { default: QRCode } = await import('qrcode')
  const svg = await QRCode.toString(uri, { type: 'svg', errorCorrectionLevel: 'H' })
  return svg.replaceAll('#ffffff', 'white').replaceAll('#000000', 'black')
}
