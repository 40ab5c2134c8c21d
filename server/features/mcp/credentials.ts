import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { allow, chooseKey, type Presented, type Verified, verifyPresented } from '../keys/credentials.ts'
import { resourceMetadataUrl, SCOPE } from '../oauth/endpoints.ts'
import { isAccessToken } from '../oauth/verify-token.ts'
import type { McpReply } from './message.ts'

/** The key of a request: the presented one, or that of its OAuth grant. An explicit key takes precedence. */
export function verifyCaller(deps: Deps, presented: Presented): Verified | Promise<Verified> {
  const { apiKeyHeader, urlKey, authorization } = presented
  if (authorization && (apiKeyHeader || urlKey))
    deps.log.info('an API key and a bearer credential were presented: using the key')
  const chosen = chooseKey(presented)
  // A token belongs in the Authorization header (RFC 6750): anywhere else it is treated as an unknown key.
  if (chosen === undefined || apiKeyHeader || urlKey || !isAccessToken(chosen))
    return verifyPresented(deps.keys, presented, 'mcp')
  return deps.tokens(chosen).then((key) => {
    if (!key) throw new AppError('key_invalid', 'This access token is expired, revoked, or for another server.')
    return allow(deps.keys, key, presented, 'mcp')
  })
}

/**
 * Tells a client how to authorize (RFC 9728). Not with an explicit key: the client would start an unexpected sign-in
 * instead of showing that the key is wrong.
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
