import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Challenge } from '../challenge.ts'
import { type AuthDeps, deviceOf } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { startMailFlow } from '../providers/flows.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { codeRedirect, errorRedirect, messageRedirect, tokensRedirect } from '../redirects/redirects.ts'
import { formBody, query } from '../request-input.ts'
import { startSession } from '../sessions/start-session.ts'
import { sendConfirmPage } from './confirm-page.ts'
import { findByLink, type OneTimeToken } from './one-time-tokens.ts'
import { FIRST_OF_TWO, linkExpired, redeemToken, verifyTypes } from './redeem-token.ts'

const CONFIRMED = 'Your address is confirmed. Sign in to continue.'

interface Link {
  token: string
  type: string
  redirectTo: string
}

/**
 * GET /verify: the link of a mail. One that is bound to a client's verifier (PKCE) works at once. Any other shows a
 * button first: mail scanners open links, and must not use them up.
 */
export function registerVerifyLink(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/verify', async (request, reply) => {
    const link = readLink(query(request), redirectTarget(deps, request))
    const token = await find(deps, link)
    if (!token) return reply.redirect(errorRedirect(link.redirectTo, linkExpired(), isPkce(link)), 303)
    if (!token.code_challenge) return sendConfirmPage(reply, deps.shop.current().name, link)
    return reply.redirect(await finish(deps, request, link, token), 303)
  })
}

/** POST /verify of the confirmation page. */
export async function answerConfirmedLink(
  deps: AuthDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formBody(request)
  const link = readLink(form, redirectTarget(deps, request, form))
  const token = await find(deps, link)
  if (!token) return reply.redirect(errorRedirect(link.redirectTo, linkExpired(), isPkce(link)), 303)
  return reply.redirect(await finish(deps, request, link, token), 303)
}

function readLink(parameters: URLSearchParams, redirectTo: string): Link {
  const token = parameters.get('token') ?? ''
  const type = parameters.get('type') ?? ''
  if (!token) throw invalid('Verify requires a token or a token hash')
  if (!type) throw invalid('Verify requires a verification type')
  return { token, type, redirectTo }
}

async function find(deps: AuthDeps, { token, type }: Link): Promise<OneTimeToken | null> {
  const wanted = Object.hasOwn(verifyTypes, type) ? verifyTypes[type] : undefined
  const found = await findByLink(deps.db.kysely, token)
  return found && wanted?.kind === 'email' && wanted.purposes.includes(found.purpose) ? found : null
}

async function finish(deps: AuthDeps, request: FastifyRequest, link: Link, token: OneTimeToken): Promise<string> {
  const challenge = challengeOf(token)
  const { redirectTo } = link
  try {
    return await deps.db.kysely.transaction().execute(async (tx) => {
      if ((await redeemToken(tx, token, linkExpired)) === 'first of two')
        return messageRedirect(redirectTo, FIRST_OF_TWO, challenge !== null)
      const userId = token.user_id
      if (challenge)
        return codeRedirect(
          redirectTo,
          await startMailFlow(tx, deps.secrets, { userId, challenge, method: token.method }),
        )
      // Tokens in a URL end up in histories, so the operator must allow them.
      if (deps.config.AUTH_IMPLICIT === 'off') return messageRedirect(redirectTo, CONFIRMED, false)
      return tokensRedirect(redirectTo, await startSession(tx, deps, userId, 'otp', deviceOf(request)), {
        type: link.type,
      })
    })
  } catch (error) {
    if (error instanceof AuthError) return errorRedirect(redirectTo, error, challenge !== null)
    throw error
  }
}

const isPkce = ({ token }: Link): boolean => token.startsWith('pkce_')

function challengeOf({ code_challenge, code_challenge_method }: OneTimeToken): Challenge | null {
  if (!code_challenge) return null
  return {
    codeChallenge: code_challenge,
    codeChallengeMethod: code_challenge_method as Challenge['codeChallengeMethod'],
  }
}
