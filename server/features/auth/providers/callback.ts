import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../../../db/database.ts'
import { countCodeRequest } from '../codes/request-code.ts'
import { sendConfirmation } from '../codes/send-confirmation.ts'
import { type AuthDeps, type Device, deviceOf } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { refuseTaken } from '../identities/link-identity.ts'
import { codeRedirect, errorRedirect, providerErrorRedirect, tokensRedirect } from '../redirects/redirects.ts'
import { formBody, isUuid, query } from '../request-input.ts'
import { startSession } from '../sessions/start-session.ts'
import { findById } from '../users/find-user.ts'
import { checkFlowCookie, clearFlowCookie } from './flow-cookie.ts'
import { completeFlow, consumeFlow, type Flow, findFlow, providerSecretsOf } from './flows.ts'
import { type ExternalIdentity, ProviderError } from './provider.ts'
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
    return reply.redirect(await finish(deps, flow, parameters, deviceOf(request)))
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
async function finish(deps: AuthDeps, flow: Flow, parameters: URLSearchParams, device: Device): Promise<string> {
  const refused = parameters.get('error')
  if (refused) return providerErrorRedirect(flow.redirect_to, refused, parameters.get('error_description'))
  try {
    const identity = await identify(deps, flow, parameters)
    const end = await signIn(deps, flow, identity, device)
    if (end instanceof AuthError) throw end
    return end
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

/**
 * Finds or creates the user and returns where the browser goes: with the client's one-time code, or with tokens where
 * the flow has no challenge. An error that is returned, not thrown, keeps what was written.
 */
function signIn(
  deps: AuthDeps,
  flow: Flow,
  { tokens, ...identity }: ExternalIdentity,
  device: Device,
): Promise<string | AuthError> {
  const { config, secrets } = deps
  return deps.db.kysely.transaction().execute(async (tx) => {
    if (flow.linking_user_id) {
      await refuseTaken(tx, flow.linking_user_id, identity)
      const outcome = { tokens, link: identity }
      return codeRedirect(flow.redirect_to, await completeFlow(tx, secrets, flow, flow.linking_user_id, outcome))
    }
    const options = { signUp: config.AUTH_SIGNUP === 'on', mayMail: deps.mail.enabled }
    const { userId, awaitingProof } = await signInWithIdentity(tx, { ...identity, tokens }, options)
    if (awaitingProof) return askForProof(tx, deps, flow, userId, device)
    if (flow.code_challenge)
      return codeRedirect(flow.redirect_to, await completeFlow(tx, secrets, flow, userId, { tokens, link: null }))
    const session = await startSession(tx, deps, userId, 'oauth', device)
    return tokensRedirect(flow.redirect_to, {
      ...session,
      provider_token: tokens.accessToken,
      ...(tokens.refreshToken && { provider_refresh_token: tokens.refreshToken }),
    })
  })
}

/** The provider does not vouch for the address, so its owner has to. */
async function askForProof(
  tx: Queryable,
  deps: AuthDeps,
  flow: Flow,
  userId: string,
  device: Device,
): Promise<AuthError> {
  const user = await findById(tx, userId)
  const email = user?.email
  if (!deps.mail.enabled || !email)
    return new AuthError(
      422,
      'provider_email_needs_verification',
      `Unverified email with ${flow.provider}. Verify the email with ${flow.provider} in order to sign in`,
    )
  await countCodeRequest(deps, 'email', 'confirmation', email, device.ip)
  await sendConfirmation(tx, deps, { userId, email, redirectTo: flow.redirect_to, challenge: null })
  return new AuthError(
    422,
    'provider_email_needs_verification',
    `Unverified email with ${flow.provider}. A confirmation email has been sent to your ${flow.provider} email`,
  )
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
