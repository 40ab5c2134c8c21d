import { type Selectable, sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import type { z } from 'zod'
import type { AuthMfaChallenges, AuthMfaFactors } from '../../../db/schema.gen.ts'
import { noteSecurityEvent } from '../audit.ts'
import { mailChange } from '../changes/mail-change.ts'
import type { AuthDeps, Device } from '../deps.ts'
import { AuthError } from '../errors.ts'
import type { CurrentUser } from '../sessions/current-user.ts'
import type { TokenResponse } from '../sessions/sessions.ts'
import { lockUser } from '../users/find-user.ts'
import { isChallengeCode } from './challenge-factor.ts'
import { SECRET_PURPOSE } from './enroll-factor.ts'
import { raiseSession } from './raise-session.ts'
import { completeCeremony, type credentialBody } from './webauthn.ts'

const PERIOD_SECONDS = 30
/** Wrong codes in a row until the factor is paused, for 30 seconds at first, at most 15 minutes. */
const FAILURES = 5

type Factor = Selectable<AuthMfaFactors>
type Challenge = Selectable<AuthMfaChallenges> & { expired: boolean }

interface Given {
  factorId: string
  challengeId: string
  code: string
  /** Of an authenticator, in place of a code. */
  webauthn: z.output<typeof credentialBody> | undefined
}

/**
 * Checks a code or an authenticator's answer against a challenge and raises the session to aal2. Each is accepted once, and
 * an authenticator takes the place of no other.
 */
export async function verifyFactor(
  deps: AuthDeps,
  caller: CurrentUser,
  given: Given,
  device: Device,
): Promise<TokenResponse> {
  const factor = await findFactor(deps, caller.userId, given.factorId)
  const challenge = await findChallenge(deps, given)
  if (challenge.verified_at)
    throw new AuthError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch')
  if (challenge.expired)
    throw new AuthError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    )
  await countAttempt(deps, factor)
  const step = factor.factor_type === 'totp' ? await totpStep(deps, factor, given.code) : null
  const { factor_type: type } = factor
  const credential =
    type === 'webauthn' && given.webauthn ? await completeCeremony(challenge.ceremony, factor, given.webauthn) : null
  const right =
    step !== null || credential !== null || (type === 'phone' && isChallengeCode(deps, challenge, given.code))
  if (!right) await refuse(deps, factor)

  const tokens = await deps.db.kysely.transaction().execute(async (tx) => {
    const { numUpdatedRows: accepted } = await tx
      .updateTable('auth.mfa_factors')
      .set({
        status: 'verified',
        verified_at: sql`coalesce(verified_at, app_now())`,
        failures: 0,
        locked_until: null,
        updated_at: sql`app_now()`,
        ...(step && { last_step: step }),
        ...(credential && { credential: JSON.stringify(credential) }),
      })
      .where('id', '=', factor.id)
      .$if(step !== null, (factors) => factors.where('last_step', '<', step!))
      .$if(credential !== null, (factors) =>
        factors.where(
          sql<boolean>`credential is not distinct from ${factor.credential && JSON.stringify(factor.credential)}::jsonb`,
        ),
      )
      .executeTakeFirst()
    const { numUpdatedRows: used } = await tx
      .updateTable('auth.mfa_challenges')
      .set({ verified_at: sql`app_now()` })
      .where('id', '=', challenge.id)
      .where('verified_at', 'is', null)
      .executeTakeFirst()
    if (accepted === 0n || used === 0n) return null
    const raised = await raiseSession(tx, deps, caller, factor, device)
    if (factor.status === 'unverified') {
      const { email } = await lockUser(tx, caller.userId)
      const name = factor.friendly_name || 'your new factor'
      await mailChange(tx, deps, { userId: caller.userId, to: [email] }, { change: 'factor_added', name })
    }
    await noteSecurityEvent(tx, caller.userId, 'auth.factor_verified', factor.id, { session: caller.sessionId })
    return raised
  })
  return tokens ?? refuse(deps, factor)
}

const REFUSALS: Record<string, string> = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  webauthn: 'Invalid WebAuthn credential',
}

async function refuse(deps: AuthDeps, { id, user_id, factor_type }: Factor): Promise<never> {
  await noteSecurityEvent(deps.db.kysely, user_id, 'auth.factor_refused', id)
  throw new AuthError(422, 'mfa_verification_failed', REFUSALS[factor_type] ?? 'Invalid code entered')
}

async function findFactor({ db }: AuthDeps, userId: string, id: string): Promise<Factor> {
  const factor = await db.kysely
    .selectFrom('auth.mfa_factors')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  return factor
}

async function findChallenge({ db }: AuthDeps, { challengeId, factorId }: Given): Promise<Challenge> {
  const challenge = await db.kysely
    .selectFrom('auth.mfa_challenges')
    .selectAll()
    .select(sql<boolean>`expires_at <= app_now()`.as('expired'))
    .where('id', '=', challengeId)
    .where('factor_id', '=', factorId)
    .executeTakeFirst()
  if (!challenge)
    throw new AuthError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')
  return challenge
}

/** Counted before the code is looked at, so that parallel guesses count too. */
async function countAttempt({ db }: AuthDeps, { id }: Factor): Promise<void> {
  const { rows } = await sql`
    update auth.mfa_factors set failures = failures + 1, locked_until = case when failures + 1 >= ${FAILURES}
      then app_now() + least(interval '30 seconds' * power(2, failures + 1 - ${FAILURES}), interval '15 minutes') end
    where id = ${id} and (locked_until is null or locked_until <= app_now()) returning 1`.execute(db.kysely)
  if (rows.length === 0)
    throw new AuthError(429, 'over_request_rate_limit', 'Too many wrong codes. Wait a few minutes, then try again.')
}

/** The time step of a correct code that is newer than the last accepted one; null for any other code. */
async function totpStep({ db, secrets }: AuthDeps, factor: Factor, code: string): Promise<number | null> {
  if (!/^\d{6}$/.test(code) || !factor.secret) return null
  const { rows } = await sql<{ ms: number }>`select floor(extract(epoch from app_now()) * 1000)::bigint as ms`.execute(
    db.kysely,
  )
  const timestamp = rows[0]!.ms
  const secret = Secret.fromBase32(secrets.decrypt(SECRET_PURPOSE, factor.secret, factor.id))
  const totp = new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS })
  const delta = totp.validate({ token: code, window: 1, timestamp })
  if (delta === null) return null
  const step = Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
  return step > Number(factor.last_step) ? step : null
}
