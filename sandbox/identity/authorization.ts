import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendConsentPage, sendErrorPage } from './consent-page.ts'
import { type Person, personOf, samplePeople } from './people.ts'
import { createShortLived } from './short-lived.ts'

const PAGE_MS = 600_000

export interface Client {
  id: string
  secret: string
  callbackUrl: string
  name: () => string
}

/** What the client requested, checked as far as possible before the page is shown. */
export interface AuthorizationRequest {
  redirectUri: string
  state: string | null
  scopes: string[]
  nonce: string | null
  codeChallenge: string | null
  codeChallengeMethod: string
  offline: boolean
  reconsent: boolean
}

export interface Approval {
  person: Person
  request: AuthorizationRequest
}

/** How the two providers differ in the browser. */
export interface Face {
  provider: 'google' | 'github'
  label: 'Google' | 'GitHub'
  authorizePath: string
  client: Client
  /** Parameters of the redirect after approval. */
  approve: (approval: Approval) => Record<string, string>
  /** Parameters of the redirect after a refusal or an error, in addition to `state`. */
  refuse: (error: string, description: string) => Record<string, string>
  /** Google shows an error page; GitHub redirects to the registered address with an error. */
  onWrongRedirectUri: 'page' | 'registered callback'
  /** The PKCE methods that it supports. */
  challengeMethods: string[]
}

/** The browser's half of the authorization code flow: the page, the decision and the redirect. */
export function registerAuthorization(scope: FastifyInstance, face: Face): void {
  const waiting = createShortLived<AuthorizationRequest>(PAGE_MS)

  scope.get(face.authorizePath, (request, reply) => {
    const parameters = query(request)
    if (parameters.get('client_id') !== face.client.id)
      return sendErrorPage(reply, face.label, 401, 'invalid_client', 'The OAuth client was not found.')
    const asked = readRequest(parameters, face.client.callbackUrl)
    if (!isRegistered(asked.redirectUri, face)) {
      const description = 'The redirect_uri must match the registered callback URL for this application.'
      if (face.onWrongRedirectUri === 'page')
        return sendErrorPage(reply, face.label, 400, 'redirect_uri_mismatch', description)
      return goBack(
        reply,
        { ...asked, redirectUri: face.client.callbackUrl },
        face.refuse('redirect_uri_mismatch', description),
      )
    }
    const fault = faultOf(parameters, asked, face)
    if (fault) return goBack(reply, asked, face.refuse(...fault))

    const hint = parameters.get('login_hint') ?? parameters.get('login') ?? ''
    if (parameters.get('prompt') !== 'none')
      return sendConsentPage(reply, { face, requestId: waiting.add(asked), scopes: asked.scopes, hint })
    const person = personOf(hint, face.provider)
    return goBack(
      reply,
      asked,
      person
        ? face.approve({ person, request: asked })
        : face.refuse('login_required', 'prompt=none needs login_hint=<email>'),
    )
  })

  scope.post(`${face.authorizePath}/decision`, (request, reply) => {
    const form = new URLSearchParams(String(request.body ?? ''))
    const requestId = form.get('request') ?? ''
    const asked = waiting.get(requestId)
    if (!asked)
      return sendErrorPage(
        reply,
        face.label,
        400,
        'expired',
        'This page was already used or has expired. Go back to the application and sign in again.',
      )
    const typed = form.get('email')
    const person =
      typed === null ? samplePeople.find(({ id }) => id === form.get('person')) : personOf(typed, face.provider)
    const denied = form.get('decision') === 'deny'
    if (!person && !denied)
      return sendConsentPage(reply, {
        face,
        requestId,
        scopes: asked.scopes,
        hint: typed ?? '',
        mistake: 'Enter one email address, such as name@example.com.',
      })
    waiting.take(requestId)
    return goBack(
      reply,
      asked,
      person && !denied
        ? face.approve({ person, request: asked })
        : face.refuse('access_denied', 'The user has denied your application access.'),
    )
  })
}

/** Whether `verifier` matches the challenge of `request`; true if there is no challenge. */
export function verifierMatches(request: AuthorizationRequest, verifier: string | null): boolean {
  if (request.codeChallenge === null) return true
  if (verifier === null) return false
  const made =
    request.codeChallengeMethod === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  return made === request.codeChallenge
}

function readRequest(parameters: URLSearchParams, registered: string): AuthorizationRequest {
  return {
    redirectUri: parameters.get('redirect_uri') ?? registered,
    state: parameters.get('state'),
    scopes: (parameters.get('scope') ?? '').split(/[\s,]+/).filter(Boolean),
    nonce: parameters.get('nonce'),
    codeChallenge: parameters.get('code_challenge'),
    codeChallengeMethod: parameters.get('code_challenge_method') ?? 'plain',
    offline: parameters.get('access_type') === 'offline',
    reconsent: parameters.get('prompt') === 'consent',
  }
}

function isRegistered(redirectUri: string, { client, provider }: Face): boolean {
  if (redirectUri === client.callbackUrl) return true
  return provider === 'github' && redirectUri.startsWith(`${client.callbackUrl}/`) && !redirectUri.includes('..')
}

function faultOf(parameters: URLSearchParams, asked: AuthorizationRequest, face: Face): [string, string] | null {
  const type = parameters.get('response_type')
  if (type !== 'code' && (face.provider === 'google' || type !== null))
    return ['unsupported_response_type', 'response_type must be code']
  if (asked.codeChallenge !== null && !face.challengeMethods.includes(asked.codeChallengeMethod)) {
    return ['invalid_request', `code_challenge_method must be ${face.challengeMethods.join(' or ')}`]
  }
  return null
}

function goBack(reply: FastifyReply, asked: AuthorizationRequest, parameters: Record<string, string>): FastifyReply {
  const url = new URL(asked.redirectUri)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  if (asked.state !== null) url.searchParams.set('state', asked.state)
  return reply.header('cache-control', 'no-store').redirect(url.toString(), reply.request.method === 'POST' ? 303 : 302)
}

export function query(request: FastifyRequest): URLSearchParams {
  const mark = request.url.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1))
}
