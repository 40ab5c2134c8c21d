import type { OAuthClientMetadata } from '@modelcontextprotocol/client'
import type { Config } from '../../../config/config.ts'

type WithUrl = Pick<Config, 'PUBLIC_URL'>
type Named = { name: string }

/** The redirect URI for other servers' authorization servers. */
export const signedInUrl = ({ PUBLIC_URL }: WithUrl): string => `${PUBLIC_URL}/dashboard/playground/signed-in`

/** The playground as an OAuth client, for servers that register it. */
export const clientMetadata = (config: WithUrl, shop: Named): OAuthClientMetadata => ({
  client_name: `${shop.name} playground`,
  client_uri: config.PUBLIC_URL,
  redirect_uris: [signedInUrl(config)],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

/** The URL of the document below, which is the client's id. It must be https. */
export const clientDocumentUrl = ({ PUBLIC_URL }: WithUrl): string | undefined =>
  PUBLIC_URL.startsWith('https:') ? `${PUBLIC_URL}/oauth/playground-client.json` : undefined

/** Client ID Metadata Document, for servers that read it instead of registering. */
export const clientDocument = (config: WithUrl, shop: Named) => ({
  client_id: `${config.PUBLIC_URL}/oauth/playground-client.json`,
  ...clientMetadata(config, shop),
  token_endpoint_auth_method: 'none',
})
