import { useMutation, useQueryClient } from '@tanstack/react-query'
import { loadAuthClient } from '../../lib/session.ts'
import { loadSettings } from '../../lib/settings.ts'
import { announce } from '../auth/complete-sign-in.ts'
import { profileQuery } from '../settings/queries.ts'
import { authUserQuery } from './queries.ts'

/** Asks both addresses to agree. Returns the address that is waiting, or null when it has changed at once. */
export function useAskForEmail() {
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

/** Gives the code that one of the addresses got. Throws what is wrong with it. */
export async function proveAddress(email: string, code: string): Promise<void> {
  const [{ createAuthClient }, { auth }] = await Promise.all([import('../../lib/auth-client.ts'), loadSettings()])
  const prover = createAuthClient(auth, 'finmeter.proof', false)
  const { error } = await prover.verifyOtp({ type: 'email_change', email, token: code })
  if (error) throw error
  // The last proof begins a session of its own, which nobody needs: this one stays, and stays at its level.
  await prover.signOut({ scope: 'local' })
}

/** Takes a token with the address that the person has now, and tells the server. Returns the address. */
export function useTakeNewEmail() {
  const client = useQueryClient()
  return async (): Promise<string | undefined> => {
    const auth = await loadAuthClient()
    const { data, error } = await auth.refreshSession()
    if (error) throw error
    if (data.session) await announce(data.session)
    await Promise.all([authUserQuery, profileQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })))
    return data.user?.email
  }
}
