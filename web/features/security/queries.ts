import type { UserIdentity } from '@supabase/auth-js'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { AccountSession } from '#contract/account.ts'
import { api } from '../../lib/api.ts'
import { loadAuthClient } from '../../lib/session.ts'
import type { ProviderName } from '../../lib/settings.ts'

/** The person as the auth service knows them now: identities and factors of the stored session may be old. */
export const authUserQuery = queryOptions({
  queryKey: ['auth-user'],
  queryFn: async () => {
    const auth = await loadAuthClient()
    const { data, error } = await auth.getUser()
    if (error) throw error
    return data.user
  },
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) =>
    api<{ sessions: AccountSession[] | null }>('/api/auth/sessions', { signal }).then((data) => data.sessions),
})

/** A mutation of the auth service after which everything that this page shows is read again. */
function useAuthMutation<Input, Output>(act: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: authUserQuery.queryKey }),
        client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
      ]),
  })
}

/** Begins an authenticator: its picture and key, shown once. */
export const useEnrolFactor = () =>
  useMutation({
    mutationFn: async (friendlyName: string) => {
      const auth = await loadAuthClient()
      const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName })
      if (error) throw error
      return data
    },
  })

/** Gives a code of a factor; the session is then aal2. */
export const useVerifyFactor = () =>
  useAuthMutation(async ({ factorId, code }: { factorId: string; code: string }) => {
    const auth = await loadAuthClient()
    const { error } = await auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  })

/** Removes a factor and takes a token of the level that is left. */
export const useRemoveFactor = () =>
  useAuthMutation(async (factorId: string) => {
    const auth = await loadAuthClient()
    const { error } = await auth.mfa.unenroll({ factorId })
    if (error) throw error
    await auth.refreshSession()
  })

/** Leaves for the provider; the callback page comes back to the settings. */
export const useConnect = () =>
  useMutation({
    mutationFn: async (provider: ProviderName) => {
      const auth = await loadAuthClient()
      const { error } = await auth.linkIdentity({
        provider,
        options: { redirectTo: `${location.origin}/auth/callback?connect=${provider}` },
      })
      if (error) throw error
    },
  })

export const useDisconnect = () =>
  useAuthMutation(async (identity: UserIdentity) => {
    const auth = await loadAuthClient()
    const { error } = await auth.unlinkIdentity(identity)
    if (error) throw error
    await auth.refreshSession()
  })

export const useSignOutOthers = () =>
  useAuthMutation(async () => {
    const auth = await loadAuthClient()
    const { error } = await auth.signOut({ scope: 'others' })
    if (error) throw error
  })
