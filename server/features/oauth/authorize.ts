import type { Deps } from '../../deps.ts'
import { findClient, type OAuthClient } from './clients.ts'
import { resourceOf, SCOPE } from './endpoints.ts'
import { OAuthError } from './oauth-error.ts'
import { answerUrl, isAllowedRedirect, matchesRedirect } from './redirect-uri.ts'
import { keepRequest } from './requests.ts'

/** Enough for clients that encode their own state in it. It is stored until the person decides. */
const MOST_STATE_CHARACTERS = 2_000
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/**
 * GET /oauth/authorize: checks what a client asks and returns where the browser goes: to the consent page, or back to
 * the client with an error. Throws OAuthError if the client is unknown or did not register the address: then the error must
 * not be sent there, but shown to the person (RFC 6749, 4.1.2.1).
 */
export async function authorize(deps: Deps, query: URLSearchParams, ip: string): Promise<string> {
  const client = await findClient(deps, query.get('client_id') ?? '', ip)
  const redirectUri = redirectOf(client, query.get('redirect_uri'))
  const state = query.get('state')
  // Without its whole state, the client could not trust the answer, so the error is not sent to it.
  if (state && state.length > MOST_STATE_CHARACTERS)
    throw new OAuthError('invalid_request', `state can have at most ${MOST_STATE_CHARACTERS} characters.`)
  try {
    const request = readRequest(deps, query)
    const id = await keepRequest(deps, {
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      state,
      ...request,
    })
    return `${deps.config.PUBLIC_URL}/connect?request=${id}`
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return answerUrl(redirectUri, {
      error: error.code,
      error_description: error.message,
      state,
      iss: deps.config.PUBLIC_URL,
    })
  }
}

/** The address that the client registered. An answer sent anywhere else could reach a thief. */
function redirectOf({ redirectUris }: OAuthClient, given: string | null): string {
  if (given === null && redirectUris.length === 1) return redirectUris[0]!
  if (given !== null && isAllowedRedirect(given) && redirectUris.some((one) => matchesRedirect(one, given)))
    return given
  throw new OAuthError('invalid_request', 'redirect_uri is not one that this client registered.')
}

function readRequest({ config }: Deps, query: URLSearchParams) {
  if (query.get('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'Use response_type=code.')
  const challenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new OAuthError('invalid_request', 'PKCE is required: send code_challenge with code_challenge_method=S256.')
  const resource = resourceOf(config)
  const wanted = query.getAll('resource')
  if (wanted.some((one) => one.replace(/\/$/, '') !== resource))
    throw new OAuthError('invalid_target', `Tokens of this server are for ${resource} only.`)
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
  // Scopes that other servers know, such as offline_access, are left out; one of ours must remain.
  if (scopes.length > 0 && !scopes.includes(SCOPE))
    throw new OAuthError('invalid_scope', `The scope of this server is ${SCOPE}.`)
  return { code_challenge: challenge, scope: SCOPE, resource }
}
