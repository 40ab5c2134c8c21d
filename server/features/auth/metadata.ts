import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from './deps.ts'

/** Providers of the protocol that this service does not offer. */
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

/** GET /settings, /health and /.well-known/jwks.json: open to everyone. */
export function registerMetadata(
  scope: FastifyInstance,
  { accessTokens, config, emailEnabled, providers, shop, sms }: AuthDeps,
): void {
  scope.get('/settings', async () => ({
    external: {
      ...Object.fromEntries(ABSENT_PROVIDERS.map((name) => [name, false])),
      google: providers.google !== null,
      github: providers.github !== null,
      email: emailEnabled,
      phone: sms !== null,
      anonymous_users: config.AUTH_ANONYMOUS === 'on',
    },
    disable_signup: config.AUTH_SIGNUP === 'off',
    // Of ours: `email` and `phone` above also cover codes, links and existing passwords.
    password_signup:
      config.AUTH_SIGNUP === 'on' && config.AUTH_PASSWORD_SIGNUP === 'on' && (emailEnabled || sms !== null),
    mailer_autoconfirm: config.AUTH_AUTOCONFIRM === 'on',
    phone_autoconfirm: config.AUTH_AUTOCONFIRM === 'on',
    sms_provider: sms ? 'webhook' : '',
    saml_enabled: false,
    passkeys_enabled: false,
  }))

  // Probes look for this name.
  scope.get('/health', async () => ({
    version: 'finmeter',
    name: 'GoTrue',
    description: `${shop.current().name} sign-in, compatible with Supabase Auth`,
  }))

  scope.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=600')
    return accessTokens.jwks()
  })
}
