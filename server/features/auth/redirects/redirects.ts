import type { AuthError } from '../errors.ts'
import type { TokenResponse } from '../sessions/sessions.ts'

const ERROR_NAMES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}
const ALWAYS_DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

/** The target with the one-time code in its query, parameters sorted by name. */
export function codeRedirect(target: string, code: string): string {
  return withParameters(target, { code })
}

/** The target with the error in the fragment and, for clients that use PKCE, in the query too. */
export function errorRedirect(target: string, error: AuthError, inQuery = true): string {
  const name = ALWAYS_DENIED.has(error.code) ? 'access_denied' : (ERROR_NAMES[error.status] ?? 'server_error')
  return withBoth(target, { error: name, error_code: error.code, error_description: error.message }, inQuery)
}

/** The target with a message for the user. */
export function messageRedirect(target: string, message: string, inQuery: boolean): string {
  return withBoth(target, { message }, inQuery)
}

/** The target with tokens in the fragment (the implicit flow). */
export function tokensRedirect(target: string, tokens: TokenResponse, more: Record<string, string> = {}): string {
  const { access_token, expires_at, expires_in, provider_refresh_token, provider_token, refresh_token, token_type } =
    tokens
  const fields = {
    access_token,
    expires_at,
    expires_in,
    refresh_token,
    token_type,
    sb: '',
    provider_refresh_token,
    provider_token,
    ...more,
  }
  const pairs = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return `${withParameters(target, {})}#${sorted(pairs)}`
}

/** A provider's own refusal passes through without a code of ours. */
export function providerErrorRedirect(target: string, error: string, description: string | null): string {
  return withBoth(target, { error, ...(description && { error_description: description }) }, true)
}

function withBoth(target: string, parameters: Record<string, string>, inQuery: boolean): string {
  const fragment = sorted(Object.entries({ ...parameters, sb: '' }))
  return `${withParameters(target, inQuery ? parameters : {})}#${fragment}`
}

function withParameters(target: string, parameters: Record<string, string>): string {
  const url = new URL(target)
  const kept = [...url.searchParams].filter(([name]) => !(name in parameters))
  url.search = sorted([...kept, ...Object.entries(parameters)]).toString()
  url.hash = ''
  return url.toString()
}

function sorted(pairs: [string, string][]): URLSearchParams {
  const parameters = new URLSearchParams(pairs)
  parameters.sort()
  return parameters
}
