import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { GivenRole, KeysSeen, Member } from '#contract/team.ts'
import { api } from '../../lib/http/api.ts'
import { selectWorkspace } from '../../lib/workspace.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { teamText as text } from './text.ts'

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => api('getTeam', { signal }),
})

/**
 * The keys that a person who no longer manages the workspace has seen. The answer to their removal fills it; nothing
 * fetches it. It outlives a visit to one of the keys.
 */
export const keysSeenQuery = queryOptions({
  queryKey: ['keys-seen'],
  queryFn: (): Seen | null => null,
  enabled: false,
  gcTime: Number.POSITIVE_INFINITY,
})
interface Seen {
  name: string
  keys: KeysSeen
}

/** A team mutation. The result is shown as a toast, because the row may be gone; then the list is refetched. */
function useTeamChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  done?: (output: Output, input: Input) => string | undefined,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (output, input) => {
      const title = done?.(output, input)
      if (title) toast({ title })
      return client.invalidateQueries({ queryKey: teamQuery.queryKey })
    },
  })
}

export const useInvite = () =>
  useTeamChange(
    (body: { email: string; role: GivenRole }) => api('inviteMember', { body }),
    ({ invitation }) => text.invited(invitation.email),
  )

export const useResend = () =>
  useTeamChange(
    (id: string) => api('resendInvitation', { params: { id } }),
    ({ invitation }) => text.resent(invitation.email),
  )

export const useRevoke = () =>
  useTeamChange(
    (id: string) => api('revokeInvitation', { params: { id } }),
    () => text.revoked,
  )

/** Shows the keys that a person has seen, unless there are none. */
function useShowKeysSeen() {
  const client = useQueryClient()
  return ({ full_name, email }: Member, keys: KeysSeen) => {
    const seen: Seen = { name: full_name || email || text.noName, keys }
    if (keys.length > 0) client.setQueryData(keysSeenQuery.queryKey, seen)
  }
}

export function useChangeRole() {
  const showKeysSeen = useShowKeysSeen()
  return useTeamChange(
    ({ id, role }: { id: string; role: GivenRole }) => api('changeRole', { params: { id }, body: { role } }),
    ({ member, keys_seen }) => {
      showKeysSeen(member, keys_seen)
      return text.roleChanged
    },
  )
}

export function useRemoveMember() {
  const showKeysSeen = useShowKeysSeen()
  return useTeamChange(
    ({ user_id: id }: Member) => api('removeMember', { params: { id } }),
    ({ keys_seen }, member) => {
      showKeysSeen(member, keys_seen)
      return undefined
    },
  )
}

export const useLeave = () => useMutation({ mutationFn: () => api('leaveTeam') })

/**
 * After a transfer the former personal workspace is selected by its ID. Everything is refetched, because role, name and
 * the list of workspaces have changed.
 */
export function useTransfer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ userId }: { userId: string; workspaceId: string }) => api('transferOwnership', { body: { userId } }),
    onSuccess: (_team, { workspaceId }) => {
      selectWorkspace(workspaceId)
      toast({ title: text.transferred })
      return client.resetQueries()
    },
  })
}
