import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import type { ProviderConfig } from '../../../config/config.ts'

export type ProviderName = 'google' | 'github'

/** What stays on the server while the user is at the provider. */
export interface ProviderSecrets {
  codeVerifier: string
  nonce: string
}

/** The provider's own tokens, handed to the client once and never kept. */
export interface ProviderTokens {
  accessToken: string
  refreshToken?: string
}

/** A user as a provider describes them. */
export interface ExternalIdentity {
  provider: ProviderName
  /** The provider's permanent id of the user. */
  providerId: string
  /** Their primary address, lower case; null if the provider gives none that is well formed. */
  email: string | null
  /** True only if the provider sends an explicit flag for this address. */
  emailVerified: boolean
  /** Name, picture and the like, in the names that clients expect in user_metadata. */
  metadata: Record<string, unknown>
  tokens: ProviderTokens
}

export interface AuthorizationRequest {
  state: string
  redirectUri: string
  /** Asked for beyond the provider's own defaults. */
  scopes: string[]
  /** Parameters that the client may pass on. */
  extra: URLSearchParams
}

export interface AuthorizationReturn {
  /** The callback's parameters as they came. */
  parameters: URLSearchParams
  state: string
  redirectUri: string
  secrets: ProviderSecrets
}

/** One sign-in provider. Both calls may talk to it over the network; failures are ProviderErrors. */
export interface Provider {
  name: ProviderName
  authorizationUrl: (request: AuthorizationRequest) => Promise<{ url: URL; secrets: ProviderSecrets }>
  identify: (answer: AuthorizationReturn) => Promise<ExternalIdentity>
  /** The user named by an ID token that one of our applications got. Absent: the provider issues none. */
  readIdToken?: (given: GivenIdToken) => Promise<ExternalIdentity>
}

export interface GivenIdToken {
  idToken: string
  /** What the token holds the SHA-256 of, in hexadecimal. */
  nonce?: string
  /** Checked against at_hash. */
  accessToken?: string
}

/** `step` selects the protocol's text for the caller; the cause is only logged. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly step: 'unreachable' | 'exchange' | 'profile'

  constructor(step: ProviderError['step'], reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.step = step
  }
}

const TIMEOUT_MS = 4_000
/** Clients may set these at the provider; everything else in the authorization request is ours. */
const FORWARDED = ['access_type', 'prompt', 'login_hint', 'hd', 'login', 'allow_signup']
const emailPattern = z.email({ pattern: z.regexes.html5Email }).max(255)

/** Options of every request to a provider: bounded in time, plain HTTP only to this machine. */
export function requestOptions(provider: ProviderConfig): {
  signal: () => AbortSignal
  [oauth.allowInsecureRequests]: boolean
  [oauth.customFetch]: typeof fetch
} {
  return {
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    [oauth.allowInsecureRequests]: isLoopback(provider.url),
    [oauth.customFetch]: providerFetch(provider),
  }
}

/** Fetches from a provider by its own address, or by the local one if it has one. */
export function providerFetch({ url, localOrigin }: ProviderConfig): typeof fetch {
  if (!localOrigin) return fetch
  const { origin } = new URL(url)
  return (address, init) => fetch(String(address).replace(origin, localOrigin), init)
}

/** The authorization URL with our own parameters last, so that no forwarded one can replace them. */
export async function authorizationUrl(
  endpoint: string,
  clientId: string,
  scopes: string[],
  request: AuthorizationRequest,
  secrets: ProviderSecrets,
): Promise<URL> {
  const url = new URL(endpoint)
  for (const name of FORWARDED) {
    const value = request.extra.get(name)
    if (value) url.searchParams.set(name, value)
  }
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('redirect_uri', request.redirectUri)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('scope', [...new Set([...scopes, ...request.scopes])].join(' '))
  url.searchParams.set('state', request.state)
  url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(secrets.codeVerifier))
  url.searchParams.set('code_challenge_method', 'S256')
  return url
}

export const newSecrets = (): ProviderSecrets => ({
  codeVerifier: oauth.generateRandomCodeVerifier(),
  nonce: oauth.generateRandomNonce(),
})

/** One plain address in lower case, or null: lists, quoted and malformed addresses count as none. */
export function plainEmail(value: unknown): string | null {
  const parsed = emailPattern.safeParse(typeof value === 'string' ? value.toLowerCase() : value)
  return parsed.success ? parsed.data : null
}

const isLoopback = (url: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
