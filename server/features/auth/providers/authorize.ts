import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Challenge, readChallenge } from '../challenge.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { errorRedirect } from '../redirects/redirects.ts'
import { query } from '../request-input.ts'
import { setFlowCookie } from './flow-cookie.ts'
import { beginFlow } from './flows.ts'
import { type Provider, ProviderError, type ProviderName } from './provider.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** GET /authorize: starts a sign-in and redirects the browser to the provider. */
export function registerAuthorize(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/authorize', async (request, reply) => {
    const elsewhere = sameRequestOnPublicUrl(request, deps.config.PUBLIC_URL)
    if (elsewhere) return reply.redirect(elsewhere)
    const parameters = query(request)
    const provider = findProvider(deps, parameters.get('provider') ?? '')
    const challenge = flowChallenge(deps, parameters)
    const redirectTo = redirectTarget(deps, request)
    try {
      return reply.redirect(
        await startFlow(deps, provider, { parameters, challenge, redirectTo, linkingUserId: null }, reply),
      )
    } catch (error) {
      if (error instanceof AuthError && error.status === 503) return reply.redirect(errorRedirect(redirectTo, error))
      throw error
    }
  })
}

interface Start {
  parameters: URLSearchParams
  /** Null for the implicit flow, where it is allowed. */
  challenge: Challenge | null
  redirectTo: string
  /** The user who wants to link another identity. */
  linkingUserId: string | null
}

/** Stores the flow and returns the provider's URL for it. */
export async function startFlow(
  { config, db, log, secrets }: AuthDeps,
  provider: Provider,
  { parameters, ...flow }: Start,
  reply: FastifyReply,
): Promise<string> {
  const id = randomUUID()
  const redirectUri = `${config.PUBLIC_URL}/auth/v1/callback`
  // Callers write scopes with commas or with spaces.
  const scopes = (parameters.get('scopes') ?? '').split(/[\s,]+/).filter(Boolean)
  try {
    const { url, secrets: providerSecrets } = await provider.authorizationUrl({
      state: id,
      redirectUri,
      scopes,
      extra: parameters,
    })
    const cookieHash = setFlowCookie(reply, id, config.PUBLIC_URL.startsWith('https:'))
    await beginFlow(db.kysely, secrets, { id, provider: provider.name, ...flow, cookieHash, providerSecrets })
    return url.toString()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    log.warn({ provider: provider.name, step: error.step, cause: String(error.cause) }, error.message)
    throw new AuthError(
      503,
      'unexpected_failure',
      `The provider ${provider.name} cannot be reached. Try again in a moment.`,
    )
  }
}

export function findProvider({ providers }: AuthDeps, name: string): Provider {
  const wanted = name.toLowerCase()
  if (!Object.hasOwn(providers, wanted))
    throw new AuthError(
      400,
      'validation_failed',
      `Unsupported provider: Provider ${name.slice(0, 40)} could not be found`,
    )
  const provider = providers[wanted as ProviderName]
  if (!provider) throw new AuthError(400, 'validation_failed', 'Unsupported provider: provider is not enabled')
  return provider
}

/** The challenge of a browser's flow. Without PKCE, tokens would travel in URLs: an operator has to allow that. */
export function flowChallenge({ config }: AuthDeps, parameters: URLSearchParams): Challenge | null {
  const challenge = readChallenge(parameters.get('code_challenge'), parameters.get('code_challenge_method'))
  if (!challenge && config.AUTH_IMPLICIT === 'off')
    throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  return challenge
}

/** On another name of this machine, the flow's cookie would not reach the callback, which uses the public one. */
function sameRequestOnPublicUrl(request: FastifyRequest, publicUrl: string): string | null {
  const { host, hostname } = new URL(publicUrl)
  const given = request.headers.host ?? host
  if (given === host || !LOOPBACK.test(hostname) || !LOOPBACK.test(given.replace(/:\d+$/, ''))) return null
  return `${publicUrl}${request.url}`
}
