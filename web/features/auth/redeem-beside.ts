import type { AuthError, Session } from '@supabase/auth-js'
import type { loadAuthClient } from '../../lib/session.ts'

type AuthClient = Awaited<ReturnType<typeof loadAuthClient>>

/**
 * Redeems a code of somebody who may be signed in here: their session stays, at its level, with a token that tells of the
 * change, and the one that the code begins is ended at once. That one is kept where nobody was signed in, or somebody else.
 */
export async function redeemBeside(
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
  // Also where the code is worth nothing here: what it stands for may have happened all the same.
  return { session: (await auth.refreshSession()).data.session, error }
}
