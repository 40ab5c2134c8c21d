import type { Config } from '../../config.ts'

export const SCOPE = 'data:read'

/** The only resource that tokens are valid for (RFC 8707). */
export const resourceOf = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): string => `${PUBLIC_URL}/mcp`

/** Tells clients how to authenticate; 401 responses point here (RFC 9728). */
export const resourceMetadataUrl = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): string =>
  `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`

export const resourceMetadata = (config: Pick<Config, 'PUBLIC_URL'>) => ({
  resource: resourceOf(config),
  authorization_servers: [config.PUBLIC_URL],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
  resource_name: 'Finmeter MCP',
  resource_documentation: `${config.PUBLIC_URL}/docs/`,
})

/** RFC 8414. */
export const serverMetadata = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) => ({
  issuer: PUBLIC_URL,
  authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
  token_endpoint: `${PUBLIC_URL}/oauth/token`,
  registration_endpoint: `${PUBLIC_URL}/oauth/register`,
  revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})
