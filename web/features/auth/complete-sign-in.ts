import { loadAuthClient, signInIsPending } from '../../lib/auth/session.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import type { PathOf } from '../../lib/http/endpoints.ts'
import { exchangeKeepingSession } from './exchange-keeping-session.ts'
import { authText } from './text.ts'

const startedElsewhere = 'It was started in another browser or tab.'

/** Where the callback redirects: the dashboard, or the login page with an error code and, if known, the reason. */
export type SignInOutcome =
  | { to: 'dashboard' }
  | { to: 'login'; error: 'auth_failed' | 'no_session' | 'callback_failed'; reason?: string | undefined }

/** Reports the new session to the server. A failure is only logged: the session is valid without it. */
export async function reportSignIn(session: {
  access_token: string
  refresh_token: string
  user: unknown
}): Promise<void> {
  const { access_token, refresh_token, user } = session
  try {
    const response = await fetch('/api/auth/callback' satisfies PathOf<'completeSignIn'>, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ access_token, refresh_token, user }),
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) console.error(`Server auth callback failed: ${response.status}`)
  } catch (error) {
    console.error('Server auth callback failed:', messageOf(error, 'no answer'))
  }
}

/** Why the provider or the service refused, in their words except when the person canceled. */
function refusalIn({ searchParams }: URL): string | null {
  const error = searchParams.get('error')
  return error === 'access_denied' ? authText.denied : (searchParams.get('error_description') ?? error)
}

/**
 * Exchanges the code in the callback URL for a session and reports it to the server. `onSession` is called in between.
 * `connecting`: the code links an account to the signed-in user, whose session stays. Never throws.
 */
export async function completeSignIn(
  address: URL,
  onSession: () => void,
  { connecting = false } = {},
): Promise<SignInOutcome> {
  try {
    const auth = await loadAuthClient()
    const refused = refusalIn(address)
    if (refused)
      return { to: 'login', error: 'auth_failed', reason: signInIsPending() ? refused.slice(0, 200) : undefined }
    const code = address.searchParams.get('code')
    if (code) {
      const { error } = connecting ? await exchangeKeepingSession(auth, code) : await auth.exchangeCodeForSession(code)
      if (error)
        return {
          to: 'login',
          error: 'auth_failed',
          reason: error.code === 'pkce_code_verifier_not_found' ? startedElsewhere : error.message,
        }
    }
    const { data, error } = await auth.getSession()
    if (error) return { to: 'login', error: 'auth_failed', reason: error.message }
    if (!data.session) return { to: 'login', error: 'no_session' }
    onSession()
    await reportSignIn(data.session)
    return { to: 'dashboard' }
  } catch (error) {
    console.error('Sign-in callback failed:', messageOf(error, 'unknown'))
    return { to: 'login', error: 'callback_failed' }
  }
}
