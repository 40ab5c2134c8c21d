import type { UserIdentity } from '@supabase/auth-js'
import { queryOptions, useMutation } from '@tanstack/react-query'
import { loadAuthClient } from '../../lib/auth/session.ts'
import { refetching } from '../../lib/http/after-change.ts'
import { api } from '../../lib/http/api.ts'
import type { ProviderName } from '../../lib/settings.ts'

/** The user from the auth service: identities and factors in the stored session may be stale. */
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
  queryFn: ({ signal }) => api('listSessions', { signal }).then((data) => data.sessions),
})

/** A mutation on the auth service; afterward everything on this page is refetched. */
const useAuthMutation = <Input, Output>(act: (input: Input) => Promise<Output>) =>
  useMutation({ mutationFn: act, onSuccess: refetching(authUserQuery, sessionsQuery) })

/** Starts enrolling an authenticator app: its QR code and key, shown once. */
export const useEnrollFactor = () =>
  useMutation({
    mutationFn: async (friendlyName: string) => {
      const auth = await loadAuthClient()
      const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName })
      if (error) throw error
      return data
    },
  })

/** Verifies a code; the session is then aal2. */
export const useVerifyFactor = () =>
  useAuthMutation(async ({ factorId, code }: { factorId: string; code: string }) => {
    const auth = await loadAuthClient()
    const { error } = await auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  })

/** Removes a factor and refreshes the session to its new assurance level. */
export const useRemoveFactor = () =>
  useAuthMutation(async (factorId: string) => {
    const auth = await loadAuthClient()
    const { error } = await auth.mfa.unenroll({ factorId })
    if (error) throw error
    await auth.refreshSession()
  })

/** Redirects to the provider; the callback page returns to the settings. */
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

export const useEndSession = () => useAuthMutation((id: string) => api('endSession', { params: { id } }))

export const useSignOutOthers = () =>
  useAuthMutation(async () => {
    const auth = await loadAuthClient()
    const { error } = await auth.signOut({ scope: 'others' })
    if (error) throw error
  })
