import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from './deps.ts'

/** Providers that the protocol knows and this service does not offer. */
const ABSENT_PROVIDERS = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'gitlab',
  'kakao',
  'keycloak',
  'linkedin',
].concat([
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'snapchat',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'x',
  'zoom',
])

/** GET /settings, /health and /.well-known/jwks.json: open to everybody. */
export function registerMetadata(scope: FastifyInstance, { accessTokens, providers }: AuthDeps): void {
  scope.get('/settings', async () => ({
    external: {
      ...Object.fromEntries(ABSENT_PROVIDERS.map((name) => [name, false])),
      google: providers.google !== null,
      github: providers.github !== null,
      email: false,
      phone: false,
      anonymous_users: false,
    },
    disable_signup: false,
    mailer_autoconfirm: false,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    passkeys_enabled: false,
  }))

  // Probes look for this name.
  scope.get('/health', async () => ({
    version: 'finmeter',
    name: 'GoTrue',
    description: 'Finmeter sign-in, compatible with Supabase Auth',
  }))

  scope.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=600')
    return accessTokens.jwks()
  })
}
