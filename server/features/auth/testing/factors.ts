import { TOTP } from 'otpauth'
import type { AuthServer } from './auth-server.ts'
import type { SignedIn } from './sign-in.ts'

/** The code of an authenticator app at the server's own time; `steps` later. */
export async function codeOf({ db }: Pick<AuthServer, 'db'>, secret: string, steps = 0): Promise<string> {
  const { rows } = await db.pool.query('select extract(epoch from app_now()) * 1000 as now')
  return new TOTP({ secret, digits: 6, period: 30, algorithm: 'SHA1' }).generate({
    timestamp: Number(rows[0].now) + steps * 30_000,
  })
}

/** Enrolls and verifies an authenticator app; the client's session is then aal2. */
export async function enroll(
  server: Pick<AuthServer, 'db'>,
  { client }: SignedIn,
  friendlyName = 'phone',
): Promise<{ id: string; secret: string }> {
  const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName })
  if (error) throw error
  const code = await codeOf(server, data.totp.secret)
  const verified = await client.mfa.challengeAndVerify({ factorId: data.id, code })
  if (verified.error) throw verified.error
  return { id: data.id, secret: data.totp.secret }
}

export const tokenOf = async ({ client }: SignedIn): Promise<string> =>
  (await client.getSession()).data.session!.access_token
