import { oauthScopes } from '#contract/oauth-scopes.ts'
import type { Config } from '../../config/config.ts'
import type { Shop } from '../shop/shop.ts'

export const SCOPE = 'data:read'

/** The resource of tokens of MCP clients (RFC 8707). */
export const resourceOf = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): string => `${PUBLIC_URL}/mcp`

/** The resource of tokens of device authorization: MCP, the Data API, and what the scopes allow of the product API. */
export const wholeResourceOf = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): string => PUBLIC_URL

/** Tells clients how to authenticate; 401 responses point here (RFC 9728). */
export const resourceMetadataUrl = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): string =>
  `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`

export const resourceMetadata = (config: Pick<Config, 'PUBLIC_URL'>, shop: Pick<Shop, 'name'>) => ({
  resource: resourceOf(config),
  authorization_servers: [config.PUBLIC_URL],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
  resource_name: `${shop.name} MCP`,
  resource_documentation: `${config.PUBLIC_URL}/docs/`,
})

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** RFC 8414. */
export const serverMetadata = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) => ({
  issuer: PUBLIC_URL,
  authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
  token_endpoint: `${PUBLIC_URL}/oauth/token`,
  device_authorization_endpoint: `${PUBLIC_URL}/oauth/device_authorization`,
  registration_endpoint: `${PUBLIC_URL}/oauth/register`,
  revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
  scopes_supported: oauthScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})
