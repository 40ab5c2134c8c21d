import type { AuthError } from './errors.ts'

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

/** The target with the error in query and fragment: clients read either. */
export function errorRedirect(target: string, error: AuthError): string {
  const name = ALWAYS_DENIED.has(error.code) ? 'access_denied' : (ERROR_NAMES[error.status] ?? 'server_error')
  return withError(target, { error: name, error_code: error.code, error_description: error.message })
}

/** A provider's own refusal passes through without a code of ours. */
export function providerErrorRedirect(target: string, error: string, description: string | null): string {
  return withError(target, { error, ...(description && { error_description: description }) })
}

function withError(target: string, parameters: Record<string, string>): string {
  const fragment = sorted(Object.entries({ ...parameters, sb: '' }))
  return `${withParameters(target, parameters)}#${fragment}`
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
