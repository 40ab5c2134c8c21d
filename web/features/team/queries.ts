import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { GivenRole } from '#contract/team.ts'
import { api } from '../../lib/http/api.ts'
import { selectWorkspace } from '../../lib/workspace.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { teamText as text } from './text.ts'

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => api('getTeam', { signal }),
})

/** A team mutation. The result is shown as a toast, because the row may be gone; then the list is refetched. */
function useTeamChange<Input, Output>(change: (input: Input) => Promise<Output>, done?: (output: Output) => string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (output) => {
      if (done) toast({ title: done(output) })
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

export const useChangeRole = () =>
  useTeamChange(
    ({ id, role }: { id: string; role: GivenRole }) => api('changeRole', { params: { id }, body: { role } }),
    () => text.roleChanged,
  )

export const useRemoveMember = () => useTeamChange((id: string) => api('removeMember', { params: { id } }))

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
