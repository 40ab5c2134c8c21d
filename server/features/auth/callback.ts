import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthDeps } from './deps.ts'
import { AuthError } from './errors.ts'
import { checkFlowCookie, clearFlowCookie } from './flow-cookie.ts'
import { completeFlow, consumeFlow, type Flow, findFlow, providerSecretsOf } from './flows.ts'
import { type ExternalIdentity, ProviderError } from './providers/provider.ts'
import { codeRedirect, errorRedirect, providerErrorRedirect } from './redirects.ts'
import { formBody, isUuid, query } from './request-input.ts'
import { signInWithIdentity } from './sign-in-with-identity.ts'

const CODE_SHOWN = 4

/** GET and POST /callback: the browser comes back from the provider. Every answer is a redirect. */
export function registerCallback(scope: FastifyInstance, deps: AuthDeps): void {
  const https = deps.config.PUBLIC_URL.startsWith('https:')

  scope.get('/callback', (request, reply) => answer(request, reply, query(request)))
  scope.post('/callback', (request, reply) => {
    const parameters = formBody(request)
    // A form posted by another site brings no cookies; the same parameters by GET do.
    if (https) return reply.redirect(`${deps.config.PUBLIC_URL}/auth/v1/callback?${parameters}`, 303)
    return answer(request, reply, parameters)
  })

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: URLSearchParams,
  ): Promise<FastifyReply> {
    let flow: Flow
    try {
      flow = await takeFlow(request, parameters.get('state'))
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      return reply.redirect(errorRedirect(deps.config.PUBLIC_URL, error), 303)
    }
    clearFlowCookie(reply, flow.id, https)
    return reply.redirect(await finish(deps, flow, parameters))
  }

  async function takeFlow(request: FastifyRequest, state: string | null): Promise<Flow> {
    if (!state) throw new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing')
    if (!isUuid(state)) throw new AuthError(400, 'bad_oauth_state', 'OAuth state parameter is invalid')
    const flow = await findFlow(deps.db.kysely, state)
    const verdict = checkFlowCookie(request, flow.id, flow.cookie_hash, https)
    const required = https && flow.linking_user_id === null
    if (verdict === 'other browser' || (verdict === 'absent' && required)) {
      throw new AuthError(
        400,
        'bad_oauth_state',
        'OAuth state belongs to a sign-in that was started in another browser',
      )
    }
    await consumeFlow(deps.db.kysely, flow.id)
    return flow
  }
}

/** Where the browser goes: to the flow's target, with a code or with the reason why there is none. */
async function finish(deps: AuthDeps, flow: Flow, parameters: URLSearchParams): Promise<string> {
  const refused = parameters.get('error')
  if (refused) return providerErrorRedirect(flow.redirect_to, refused, parameters.get('error_description'))
  try {
    const identity = await identify(deps, flow, parameters)
    return codeRedirect(flow.redirect_to, await signIn(deps, flow, identity))
  } catch (error) {
    if (error instanceof AuthError) return errorRedirect(flow.redirect_to, error)
    deps.log.error(
      { provider: flow.provider, error: error instanceof Error ? error.message : String(error) },
      'sign-in failed',
    )
    return errorRedirect(
      flow.redirect_to,
      new AuthError(500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information'),
    )
  }
}

/** Finds or makes the person and returns the client's one-time code, both or neither. */
function signIn({ db, secrets }: AuthDeps, flow: Flow, identity: ExternalIdentity): Promise<string> {
  return db.kysely.transaction().execute(async (tx) => {
    const userId = await signInWithIdentity(tx, identity)
    return completeFlow(tx, secrets, flow, userId, identity.tokens)
  })
}

async function identify(
  { config, log, providers, secrets }: AuthDeps,
  flow: Flow,
  parameters: URLSearchParams,
): Promise<ExternalIdentity> {
  const code = parameters.get('code')
  if (!code) throw new AuthError(400, 'bad_oauth_callback', 'OAuth callback with missing authorization code')
  const provider = providers[flow.provider]
  if (!provider) throw new AuthError(400, 'validation_failed', 'Unsupported provider: provider is not enabled')
  try {
    const redirectUri = `${config.PUBLIC_URL}/auth/v1/callback`
    return await provider.identify({
      parameters,
      state: flow.id,
      redirectUri,
      secrets: providerSecretsOf(flow, secrets),
    })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    log.warn({ provider: flow.provider, step: error.step, cause: String(error.cause) }, error.message)
    if (error.step === 'unreachable')
      throw new AuthError(
        503,
        'unexpected_failure',
        `The provider ${flow.provider} cannot be reached. Try again in a moment.`,
      )
    const text =
      error.step === 'exchange'
        ? `Unable to exchange external code: ${code.slice(0, CODE_SHOWN)}`
        : 'Error getting user profile from external provider'
    throw new AuthError(500, 'unexpected_failure', text)
  }
}
