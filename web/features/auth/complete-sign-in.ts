import { messageOf } from '../../lib/api-error.ts'
import { loadAuthClient, signInIsPending } from '../../lib/session.ts'
import { redeemBeside } from './redeem-beside.ts'

/** A denial without words of the provider's own. */
const denied = 'Access was denied'
const startedElsewhere = 'It was begun in another browser or tab.'

/** Where the callback leads: to the dashboard, or back to the login page with a code and, if known, the reason. */
export type SignInOutcome =
  | { to: 'dashboard' }
  | { to: 'login'; error: 'auth_failed' | 'no_session' | 'callback_failed'; reason?: string | undefined }

/** Tells the server about the new session. A failure is only logged: the session is valid without it. */
export async function announce(session: { access_token: string; refresh_token: string; user: unknown }): Promise<void> {
  const { access_token, refresh_token, user } = session
  try {
    const response = await fetch('/api/auth/callback', {
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

/** Why the provider or the service refused, in their words. */
function refusalIn({ searchParams }: URL): string | null {
  const error = searchParams.get('error')
  return searchParams.get('error_description') ?? (error === 'access_denied' ? denied : error)
}

/**
 * Exchanges the code in the callback's address for a session and announces it to the server.
 * `onSession` is called between the two. `connecting`: the code connects an account to whoever is signed in, and their
 * session stays. Never throws.
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
      const { error } = connecting ? await redeemBeside(auth, code) : await auth.exchangeCodeForSession(code)
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
    await announce(data.session)
    return { to: 'dashboard' }
  } catch (error) {
    console.error('Sign-in callback failed:', messageOf(error, 'unknown'))
    return { to: 'login', error: 'callback_failed' }
  }
}
