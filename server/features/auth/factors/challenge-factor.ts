import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { z } from 'zod'
import { noteSecurityEvent } from '../audit.ts'
import { countCodeRequest } from '../codes/request-code.ts'
import { channelOf, textCode } from '../codes/send-phone-code.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { beginCeremony, type relyingPartyBody } from './webauthn.ts'

const LIFE_SECONDS = 300
const CODE_PURPOSE = 'auth.mfa_challenges.code'

interface ChallengeOptions {
  channel?: string | undefined
  /** The client's site, for an authenticator. */
  webauthn?: z.output<typeof relyingPartyBody> | undefined
  ip: string
}

/** Starts a challenge for a factor. For a phone, sends the code; for an authenticator, returns what the browser asks it. */
export async function challengeFactor(
  deps: AuthDeps,
  userId: string,
  factorId: string,
  { channel, webauthn, ip }: ChallengeOptions,
): Promise<{ id: string; type: string; expires_at: number; webauthn?: object }> {
  const factor = await deps.db.kysely
    .selectFrom('auth.mfa_factors as f')
    .innerJoin('auth.users as u', 'u.id', 'f.user_id')
    .select(['f.factor_type', 'f.phone', 'f.credential', 'u.email', 'u.phone as userPhone'])
    .where('f.id', '=', factorId)
    .where('f.user_id', '=', userId)
    .executeTakeFirst()
  if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  const id = randomUUID()
  let codeHash: Buffer | null = null
  const person = { id: userId, name: factor.email ?? factor.userPhone ?? userId }
  const began =
    factor.factor_type === 'webauthn'
      ? await beginCeremony(deps, factor, person, webauthn ?? { rpId: undefined, rpOrigins: undefined })
      : null
  if (factor.factor_type === 'phone') {
    if (!deps.sms) throw new AuthError(422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone')
    await countCodeRequest(deps, 'sms', 'factor', factor.phone!, ip)
    const { code } = await textCode(deps, factor.phone!, channelOf(channel))
    codeHash = deps.secrets.mac(CODE_PURPOSE, `${id}:${code}`)
  }
  return deps.db.kysely.transaction().execute(async (tx) => {
    if (codeHash) await noteSecurityEvent(tx, userId, 'auth.code_sent', 'factor')
    const { expires_at } = await tx
      .insertInto('auth.mfa_challenges')
      .values({
        id,
        factor_id: factorId,
        code_hash: codeHash,
        ceremony: began && JSON.stringify(began.ceremony),
        expires_at: sql`app_now() + make_interval(secs => ${LIFE_SECONDS})`,
      })
      .returning('expires_at')
      .executeTakeFirstOrThrow()
    await tx
      .updateTable('auth.mfa_factors')
      .set({ last_challenged_at: sql`app_now()` })
      .where('id', '=', factorId)
      .execute()
    await tx
      .deleteFrom('auth.mfa_challenges')
      .where('factor_id', '=', factorId)
      .where('expires_at', '<', sql<Date>`app_now() - interval '1 day'`)
      .execute()
    const answer = { id, type: factor.factor_type, expires_at: Math.floor(expires_at.getTime() / 1000) }
    return began ? { ...answer, webauthn: began.webauthn } : answer
  })
}

/** Whether `code` was sent for the challenge. */
export const isChallengeCode = (
  { secrets }: Pick<AuthDeps, 'secrets'>,
  challenge: { id: string; code_hash: Buffer | null },
  code: string,
): boolean =>
  challenge.code_hash !== null && secrets.isMac(CODE_PURPOSE, `${challenge.id}:${code}`, challenge.code_hash)
