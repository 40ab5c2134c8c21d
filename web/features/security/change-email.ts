import { useMutation, useQueryClient } from '@tanstack/react-query'
import { loadAuthClient } from '../../lib/auth/session.ts'
import { loadSettings } from '../../lib/settings.ts'
import { profileQuery } from '../account/queries.ts'
import { reportSignIn } from '../auth/complete-sign-in.ts'
import { authUserQuery } from './queries.ts'

/** Requests the change. Returns the pending address, or null if it changed immediately. */
export function useRequestEmailChange() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (email: string) => {
      const auth = await loadAuthClient()
      const { data, error } = await auth.updateUser(
        { email },
        { emailRedirectTo: `${location.origin}/auth/callback?for=email` },
      )
      if (error) throw error
      return data.user.new_email ?? null
    },
    onSettled: () => client.invalidateQueries({ queryKey: authUserQuery.queryKey }),
  })
}

/** Submits the code for one address. Throws if it is wrong. */
export async function verifyAddress(email: string, code: string): Promise<void> {
  const [{ createAuthClient }, { auth }] = await Promise.all([import('../../lib/auth/auth-client.ts'), loadSettings()])
  const prover = createAuthClient(auth, 'finmeter.proof', false)
  const { error } = await prover.verifyOtp({ type: 'email_change', email, token: code })
  if (error) throw error
  // Verifying the last code creates a new session, which ends: the current one stays, at its assurance level.
  await prover.signOut({ scope: 'local' })
}

/** Refreshes the session to get the new address and reports it to the server. Returns the address. */
export function useRefreshEmail() {
  const client = useQueryClient()
  return async (): Promise<string | undefined> => {
    const auth = await loadAuthClient()
    const { data, error } = await auth.refreshSession()
    if (error) throw error
    if (data.session) await reportSignIn(data.session)
    await Promise.all([authUserQuery, profileQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })))
    return data.user?.email
  }
}
