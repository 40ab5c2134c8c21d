import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { allow, chooseKey, type Presented, type Surface, type Verified, verifyPresented } from '../keys/credentials.ts'
import { ACCESS_PREFIX } from './credentials.ts'
import { isAccessToken } from './verify-token.ts'

/**
 * The key of a request for `surface`: the presented one, or that of its OAuth grant. An explicit key takes precedence. Throws
 * key_missing, key_invalid, forbidden. Returns synchronously when it can.
 */
export function verifyKeyOrToken(
  deps: Pick<Deps, 'keys' | 'tokens'>,
  presented: Presented,
  surface: Surface,
): Verified | Promise<Verified> {
  const { apiKeyHeader, urlKey, authorization } = presented
  // A token belongs in the Authorization header (RFC 6750): anywhere else it is treated as an unknown key. Almost all calls have
  // keys, so the header is taken apart only if a token may be in it.
  const chosen = authorization?.includes(ACCESS_PREFIX) && !apiKeyHeader && !urlKey ? chooseKey(presented) : undefined
  if (chosen === undefined || !isAccessToken(chosen)) return verifyPresented(deps.keys, presented, surface)
  return deps.tokens(chosen, surface === 'mcp' ? 'mcp' : 'rest').then((key) => {
    if (!key) throw new AppError('key_invalid', 'This access token is expired, revoked, or for another server.')
    return allow(deps.keys, key, presented, surface)
  })
}
