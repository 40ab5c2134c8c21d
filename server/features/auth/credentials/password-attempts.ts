import { isRateLimited } from '../../../http/errors.ts'
import { addressKey } from '../../../http/limits/address-key.ts'
import type { AuthDeps } from '../deps.ts'

/**
 * Counts a password attempt before the check, so that parallel attempts count too; call the returned function when the
 * password was right. Guesses from one address block that address. Guesses from many addresses block all addresses except
 * those from which the user has signed in before, so that strangers cannot lock users out of their own devices. Throws 429.
 */
export async function beginAttempt(
  deps: AuthDeps,
  account: string,
  userId: string | null,
  ip: string,
): Promise<() => Promise<void>> {
  const here = await deps.limits.attempt('auth.wrongPassword', {
    address: ip,
    personAtAddress: `${account} ${addressKey(ip)}`,
  })
  try {
    const anywhere = await deps.limits.attempt('auth.wrongPasswords', { person: account })
    return async () => void (await Promise.all([here(), anywhere()]))
  } catch (error) {
    if (isRateLimited(error) && userId && (await hasSignedInFrom(deps, userId, ip))) return here
    throw error
  }
}

async function hasSignedInFrom({ db }: AuthDeps, userId: string, ip: string): Promise<boolean> {
  const { rows } = await db.pool.query<{ ip: string }>(
    `select distinct detail->>'ip' as ip from audit_log
     where account_id is null and actor = 'user:' || $1 and action = 'auth.signed_in' and detail ? 'ip'`,
    [userId],
  )
  return rows.some((row) => addressKey(row.ip) === addressKey(ip))
}
