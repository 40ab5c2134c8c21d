import cors from '@fastify/cors'
import type { FastifyError, FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isRateLimited } from '../../http/errors.ts'
import { registerAdmin } from './admin/routes.ts'
import { registerUndo } from './changes/routes.ts'
import { registerOtp } from './codes/otp.ts'
import { registerResend } from './codes/resend.ts'
import { createSmsSender } from './codes/sms.ts'
import { registerVerify } from './codes/verify.ts'
import { registerVerifyLink } from './codes/verify-link.ts'
import { registerReauthenticate } from './credentials/reauthenticate.ts'
import { registerRecover } from './credentials/recover.ts'
import { registerSignup } from './credentials/signup.ts'
import { registerUpdateUser } from './credentials/update-user.ts'
import type { AuthDeps } from './deps.ts'
import { AuthError, sendAuthError } from './errors.ts'
import { requireAssuranceRows } from './factors/assurance.ts'
import { registerFactors } from './factors/routes.ts'
import { registerIdentities } from './identities/routes.ts'
import { overRequestLimit } from './limits.ts'
import { registerMetadata } from './metadata.ts'
import { registerAuthorize } from './providers/authorize.ts'
import { registerCallback } from './providers/callback.ts'
import { createGithub } from './providers/github.ts'
import { createGoogle } from './providers/google.ts'
import { createRedirectAllowList, looseGlobs } from './redirects/redirect-allow-list.ts'
import { registerTextBodies } from './request-input.ts'
import { registerLogout } from './sessions/logout.ts'
import { registerToken } from './sessions/token.ts'
import { limitTime } from './time-limit.ts'
import { registerAbsent } from './unsupported.ts'
import { registerUser } from './users/user.ts'

const ALLOWED_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'apikey',
  'X-Client-Info',
  'X-Client-IP',
  'X-JWT-AUD',
  'X-Supabase-Api-Version',
]
const EXPOSED_HEADERS = ['X-Supabase-Api-Version', 'X-Total-Count', 'Link']

/** The auth service under /auth/v1, in a scope of its own: its error shapes, bodies and CORS differ from the product's. */
export async function registerAuth(app: FastifyInstance, deps: Deps): Promise<void> {
  // Another service does it; what is not served here answers 404.
  if (deps.config.AUTH_URL) return
  const authDeps = prepare(deps)
  await app.register(
    async (scope) => {
      requireAssuranceRows(scope)
      registerTextBodies(scope)
      registerErrors(scope, authDeps)
      limitTime(scope)
      // Any site may be a client: answers depend on bearer tokens only, never on cookies.
      await scope.register(cors, {
        origin: '*',
        methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        allowedHeaders: ALLOWED_HEADERS,
        exposedHeaders: EXPOSED_HEADERS,
      })
      scope.addHook('onRequest', async (_request, reply) => {
        reply.headers({
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'cross-origin',
        })
      })
      registerMetadata(scope, authDeps)
      registerAuthorize(scope, authDeps)
      registerCallback(scope, authDeps)
      registerToken(scope, authDeps)
      registerUser(scope, authDeps)
      registerLogout(scope, authDeps)
      registerSignup(scope, authDeps)
      registerOtp(scope, authDeps)
      registerRecover(scope, authDeps)
      registerResend(scope, authDeps)
      registerReauthenticate(scope, authDeps)
      registerVerify(scope, authDeps)
      registerVerifyLink(scope, authDeps)
      registerUpdateUser(scope, authDeps)
      registerIdentities(scope, authDeps)
      registerUndo(scope, authDeps)
      registerFactors(scope, authDeps)
      registerAdmin(scope, authDeps)
      registerAbsent(scope)
    },
    { prefix: '/auth/v1' },
  )
}

function prepare({ config, db, limits, log, mail, secrets, shop, accessTokens }: Deps): AuthDeps {
  const { google, github } = config.providers
  for (const glob of looseGlobs(config.AUTH_REDIRECT_URLS)) {
    log.warn({ glob }, 'AUTH_REDIRECT_URLS lets nearly every host receive sign-ins')
  }
  return {
    config,
    db,
    log,
    secrets,
    accessTokens,
    mail,
    shop,
    limits,
    sms: createSmsSender(config),
    emailEnabled: mail.enabled && config.AUTH_EMAIL === 'on',
    providers: { google: google && createGoogle(google), github: github && createGithub(github) },
    redirects: createRedirectAllowList(config.PUBLIC_URL, config.AUTH_REDIRECT_URLS),
  }
}

function registerErrors(scope: FastifyInstance, { log }: AuthDeps): void {
  scope.setNotFoundHandler((request, reply) =>
    sendAuthError(new AuthError(404, 'not_found', 'There is nothing here'), request, reply),
  )
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof AuthError) return sendAuthError(error, request, reply)
    if (isRateLimited(error)) return sendAuthError(overRequestLimit(error), request, reply)
    if (error.statusCode === 413)
      return sendAuthError(
        new AuthError(413, 'request_entity_too_large', 'Request body is larger than 64 KB'),
        request,
        reply,
      )
    if (error.statusCode && error.statusCode < 500)
      return sendAuthError(new AuthError(400, 'validation_failed', 'The request could not be read'), request, reply)
    log.error(
      { requestId: request.id, route: request.routeOptions.url, error: error.message, stack: error.stack },
      'auth request failed',
    )
    return sendAuthError(
      new AuthError(500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information'),
      request,
      reply,
    )
  })
}
