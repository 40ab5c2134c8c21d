import type { AuthError, Session } from '@supabase/auth-js'
import type { loadAuthClient } from '../../lib/session.ts'

type AuthClient = Awaited<ReturnType<typeof loadAuthClient>>

/**
 * Redeems a code of somebody who may be signed in here: their session stays, at its level, and the one that the code
 * begins is ended at once. That one is kept where nobody was signed in, or somebody else.
 */
export async function redeemBeside(
  auth: AuthClient,
  code: string,
): Promise<{ stays: Session | null; begun: Session | null; error: AuthError | null }> {
  const { session: before } = (await auth.getSession()).data
  const { data, error } = await auth.exchangeCodeForSession(code)
  if (error) return { stays: before, begun: null, error }
  if (before?.user.id !== data.session.user.id) return { stays: null, begun: data.session, error }
  await auth.admin.signOut(data.session.access_token, 'local')
  await auth.setSession(before)
  return { stays: before, begun: data.session, error }
}
