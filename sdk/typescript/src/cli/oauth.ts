import { CliError } from './exit-codes.ts'
import { notFinmeter, request } from './request.ts'
import type { Login } from './saved-logins.ts'

const CLIENT = 'finmeter-cli'
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export interface OauthAnswer {
  status: number
  body: Record<string, unknown>
}

/** Sends a form to the authorization server and returns its answer, also a refusal. Throws CliError, FinmeterError. */
export async function oauthForm(base: string, path: string, form: Record<string, string>): Promise<OauthAnswer> {
  const body = new URLSearchParams({ client_id: CLIENT, ...form })
  const response = await request(base + path, { method: 'POST', body })
  const text = await response.text()
  try {
    return { status: response.status, body: text ? Object(JSON.parse(text)) : {} }
  } catch {
    throw notFinmeter(base)
  }
}

/** The tokens of an answer. Throws CliError. */
export function loginOf({ status, body }: OauthAnswer): Login {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = body
  if (status !== 200 || typeof accessToken !== 'string' || typeof refreshToken !== 'string')
    throw new CliError(
      'notSignedIn',
      String(body.error_description ?? `The server answered ${status}.`),
      'Run finmeter login.',
    )
  return { accessToken, refreshToken, expiresAtMs: Date.now() + Number(seconds ?? 0) * 1000 }
}
