import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import type { ProviderConfig } from '../../../config/config.ts'
import {
  authorizationUrl,
  type ExternalIdentity,
  newSecrets,
  type Provider,
  ProviderError,
  plainEmail,
  providerFetch,
  requestOptions,
} from './provider.ts'

const PUBLIC_GITHUB = 'https://github.com'
const PUBLIC_API = 'https://api.github.com'
const SCOPES = ['user:email']

const profile = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
const refusal = z.object({ error: z.string() })

/** GitHub, or a GitHub Enterprise server at its base URL. OAuth 2 with deviations, no OpenID. */
export function createGithub(config: ProviderConfig): Provider {
  const options = requestOptions(config)
  const api = config.url === PUBLIC_GITHUB ? PUBLIC_API : `${config.url}/api/v3`
  const client: oauth.Client = { client_id: config.clientId }
  // GitHub publishes no metadata; it names this issuer in `iss` of its callbacks, when it sends one.
  const server: oauth.AuthorizationServer = {
    issuer: `${config.url}/login/oauth`,
    authorization_endpoint: `${config.url}/login/oauth/authorize`,
    token_endpoint: `${config.url}/login/oauth/access_token`,
  }

  return {
    name: 'github',
    async authorizationUrl(request) {
      const secrets = newSecrets()
      return {
        url: await authorizationUrl(server.authorization_endpoint!, config.clientId, SCOPES, request, secrets),
        secrets,
      }
    },
    async identify({ parameters, state, redirectUri, secrets }) {
      const accessToken = await exchange()
      return readIdentity(api, accessToken, providerFetch(config), options.signal)

      async function exchange(): Promise<string> {
        try {
          const validated = oauth.validateAuthResponse(server, client, parameters, state)
          const authentication = oauth.ClientSecretPost(config.clientSecret)
          const response = await oauth.authorizationCodeGrantRequest(
            server,
            client,
            authentication,
            validated,
            redirectUri,
            secrets.codeVerifier,
            {
              ...options,
              // Without it the answer is form-encoded.
              headers: { accept: 'application/json' },
            },
          )
          // Refusals come with status 200, which the library would report as a malformed token.
          const refused = refusal.safeParse(await response.clone().json())
          if (refused.success) throw new Error(refused.data.error)
          const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
          return tokens.access_token
        } catch (cause) {
          throw new ProviderError('exchange', 'GitHub did not accept the code', { cause })
        }
      }
    },
  }
}

async function readIdentity(
  api: string,
  accessToken: string,
  request: typeof fetch,
  signal: () => AbortSignal,
): Promise<ExternalIdentity> {
  const read = (path: string) =>
    request(`${api}${path}`, {
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'Finmeter',
      },
      signal: signal(),
      redirect: 'error',
    })
  try {
    const [user, list] = await Promise.all([read('/user'), read('/user/emails?per_page=100')])
    if (!user.ok) throw new Error(`GET /user answered ${user.status}`)
    // 403 and 404: the user withheld the scope, so no address is known.
    const withheld = list.status === 403 || list.status === 404
    if (!list.ok && !withheld) throw new Error(`GET /user/emails answered ${list.status}`)
    const addresses = withheld ? [] : emails.parse(await list.json())
    return toIdentity(api, profile.parse(await user.json()), addresses, accessToken)
  } catch (cause) {
    throw new ProviderError('profile', 'GitHub did not tell who signed in', { cause })
  }
}

function toIdentity(
  api: string,
  user: z.output<typeof profile>,
  addresses: z.output<typeof emails>,
  accessToken: string,
): ExternalIdentity {
  const primary = addresses.find((entry) => entry.primary)
  const email = plainEmail(primary?.email)
  const emailVerified = email !== null && primary?.verified === true
  const providerId = String(user.id)
  const metadata = {
    iss: api,
    sub: providerId,
    provider_id: providerId,
    user_name: user.login,
    preferred_username: user.login,
    ...(user.name && { name: user.name, full_name: user.name }),
    ...(user.avatar_url && { avatar_url: user.avatar_url }),
    ...(email && { email }),
    email_verified: emailVerified,
    phone_verified: false,
  }
  return { provider: 'github', providerId, email, emailVerified, metadata, tokens: { accessToken } }
}
