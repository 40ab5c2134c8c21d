import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthDeps } from './deps.ts'
import { AuthError } from './errors.ts'
import { setFlowCookie } from './flow-cookie.ts'
import { beginFlow } from './flows.ts'
import { type Provider, ProviderError, type ProviderName } from './providers/provider.ts'
import { errorRedirect } from './redirects.ts'
import { query } from './request-input.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const CHALLENGE_CHARACTERS = /^[A-Za-z0-9._~-]*$/

/** GET /authorize: a browser's navigation that starts a sign-in and goes on to the provider. */
export function registerAuthorize(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/authorize', async (request, reply) => {
    const elsewhere = sameRequestOnPublicUrl(request, deps.config.PUBLIC_URL)
    if (elsewhere) return reply.redirect(elsewhere)
    const parameters = query(request)
    const provider = findProvider(deps, parameters.get('provider') ?? '')
    const challenge = readChallenge(parameters)
    const redirectTo = deps.redirects.choose(
      parameters.get('redirect_to'),
      header(request, 'redirect_to'),
      request.headers.referer,
    )
    return reply.redirect(await start(deps, provider, { parameters, ...challenge, redirectTo }, reply))
  })
}

interface Start {
  parameters: URLSearchParams
  codeChallenge: string
  codeChallengeMethod: 's256' | 'plain'
  redirectTo: string
}

/** Keeps the flow and returns the provider's address for it. */
async function start(
  { config, db, secrets, log }: AuthDeps,
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
    return errorRedirect(
      flow.redirectTo,
      new AuthError(
        503,
        'unexpected_failure',
        `The provider ${provider.name} cannot be reached. Try again in a moment.`,
      ),
    )
  }
}

function findProvider({ providers }: AuthDeps, name: string): Provider {
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

/** PKCE is required: without it, tokens would travel in URLs. */
function readChallenge(parameters: URLSearchParams): Pick<Start, 'codeChallenge' | 'codeChallengeMethod'> {
  const codeChallenge = parameters.get('code_challenge') ?? ''
  const method = (parameters.get('code_challenge_method') ?? '').toLowerCase()
  if (!codeChallenge || !method) throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  if (codeChallenge.length < 43 || codeChallenge.length > 128)
    throw invalid('code challenge has to be between 43 and 128 characters')
  if (!CHALLENGE_CHARACTERS.test(codeChallenge)) {
    throw invalid('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes')
  }
  if (method !== 's256' && method !== 'plain') throw invalid(`code_challenge_method has to be s256 or plain`)
  return { codeChallenge, codeChallengeMethod: method }
}

/** Another name of this machine would keep the flow's cookie from the callback, which comes to the public one. */
function sameRequestOnPublicUrl(request: FastifyRequest, publicUrl: string): string | null {
  const { host, hostname } = new URL(publicUrl)
  const given = request.headers.host ?? host
  if (given === host || !LOOPBACK.test(hostname) || !LOOPBACK.test(given.replace(/:\d+$/, ''))) return null
  return `${publicUrl}${request.url}`
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)
