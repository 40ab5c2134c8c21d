/**
 * What an OAuth token may do: call tools, read the profile, credits, usage and names of keys, create and delete keys. Clients
 * of MCP get the first only.
 */
export const oauthScopes = ['data:read', 'account:read', 'keys:write'] as const
export type OAuthScope = (typeof oauthScopes)[number]
