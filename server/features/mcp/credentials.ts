import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { type Presented, type Verified, verifyPresented } from '../keys/credentials.ts'
import { resourceMetadataUrl, SCOPE } from '../oauth/endpoints.ts'
import type { McpReply } from './message.ts'

/** The key of a request: the presented one, or that of its OAuth grant. An explicit key takes precedence. */
export function verifyCaller(deps: Deps, presented: Presented): Verified | Promise<Verified> {
  const { apiKeyHeader, urlKey, authorization } = presented
  if (authorization && (apiKeyHeader || urlKey))
    deps.log.info('an API key and a bearer credential were presented: using the key')
  return verifyPresented(deps, presented, 'mcp')
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
