import type { Config } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { resourceMetadataUrl, SCOPE } from '../../oauth/endpoints.ts'
import { isAccessToken } from '../../oauth/verify-token.ts'
import { allow, chooseKey, type Presented, type Verified, verifyPresented } from '../credentials.ts'
import type { McpReply } from './message.ts'

/** The key that a request counts for: the one that it presents, or that of its OAuth grant. An explicit key comes first. */
export function verifyCaller(deps: Deps, presented: Presented): Verified | Promise<Verified> {
  const { apiKeyHeader, urlKey, authorization } = presented
  if (authorization && (apiKeyHeader || urlKey))
    deps.log.info('an API key and a bearer credential were presented: the key counts')
  const chosen = chooseKey(presented)
  // A token belongs into the Authorization header alone (RFC 6750): anywhere else it is a key that does not exist.
  if (chosen === undefined || apiKeyHeader || urlKey || !isAccessToken(chosen))
    return verifyPresented(deps.keys, presented, 'mcp')
  return deps.tokens(chosen).then((key) => {
    if (!key) throw new AppError('key_invalid', 'This access token is expired, revoked, or for another server.')
    return allow(deps.keys, key, presented, 'mcp')
  })
}

/**
 * Tells a client how to be let in (RFC 9728). Somebody who wrote down a key gets no such hint: his client would begin a
 * sign-in that nobody asked for, instead of showing that the key is wrong.
 */
export function challenge(
  config: Config,
  { apiKeyHeader, urlKey, authorization }: Presented,
  reply: McpReply,
): McpReply {
  if (apiKeyHeader || urlKey) return reply
  const parts = [
    'Bearer realm="Finmeter API key"',
    `resource_metadata="${resourceMetadataUrl(config)}"`,
    `scope="${SCOPE}"`,
    ...(authorization ? ['error="invalid_token"'] : []),
  ]
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': parts.join(', ') } }
}
