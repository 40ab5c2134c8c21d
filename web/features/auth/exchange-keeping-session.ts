import type { AuthError, Session } from '@supabase/auth-js'
import type { loadAuthClient } from '../../lib/auth/session.ts'

type AuthClient = Awaited<ReturnType<typeof loadAuthClient>>

/**
 * Exchanges a code while a user may be signed in. The same user's session stays, at its assurance level, with a fresh
 * token, and the session of the code ends. If nobody or another user was signed in, the session of the code is kept.
 */
export async function exchangeKeepingSession(
  auth: AuthClient,
  code: string,
): Promise<{ session: Session | null; error: AuthError | null }> {
  const { session: before } = (await auth.getSession()).data
  const { data, error } = await auth.exchangeCodeForSession(code)
  if (!before || (!error && before.user.id !== data.session.user.id)) return { session: data.session, error }
  if (!error) {
    await auth.admin.signOut(data.session.access_token, 'local')
    await auth.setSession(before)
  }
  // Refresh even on failure: what the code confirms may already have happened.
  return { session: (await auth.refreshSession()).data.session, error }
}
