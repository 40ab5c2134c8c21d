import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { GivenRole, Invitation, Member, Team } from '#contract/team.ts'
import { api } from '../../lib/api.ts'
import { selectWorkspace } from '../../lib/workspace.ts'
import { toast } from '../../ui/toast-store.ts'
import { teamText as text } from './text.ts'

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => api<Team>('/api/team', { signal }),
})

/** A change of the team, told in a toast (the row that asked for it may be gone by then), after which the list is read again. */
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

type Invited = { invitation: Invitation }

export const useInvite = () =>
  useTeamChange(
    (json: { email: string; role: GivenRole }) => api<Invited>('/api/team/invitations', { method: 'post', json }),
    ({ invitation }) => text.invited(invitation.email),
  )

export const useResend = () =>
  useTeamChange(
    (id: string) => api<Invited>(`/api/team/invitations/${id}/resend`, { method: 'post' }),
    ({ invitation }) => text.resent(invitation.email),
  )

export const useRevoke = () =>
  useTeamChange(
    (id: string) => api(`/api/team/invitations/${id}`, { method: 'delete' }),
    () => text.revoked,
  )

export const useChangeRole = () =>
  useTeamChange(
    ({ id, role }: { id: string; role: GivenRole }) =>
      api<{ member: Member }>(`/api/team/members/${id}`, { method: 'put', json: { role } }),
    () => text.roleChanged,
  )

export const useRemoveMember = () => useTeamChange((id: string) => api(`/api/team/members/${id}`, { method: 'delete' }))

export const useLeave = () => useMutation({ mutationFn: () => api('/api/team/leave', { method: 'post' }) })

/**
 * One's own workspace stops being one's own: from now on it is asked for by its id. Everything is read again, because
 * role, name and the list of workspaces have all changed.
 */
export function useTransfer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ userId }: { userId: string; workspaceId: string }) =>
      api<Team>('/api/team/transfer', { method: 'post', json: { userId } }),
    onSuccess: (_team, { workspaceId }) => {
      selectWorkspace(workspaceId)
      toast({ title: text.transferred })
      return client.resetQueries()
    },
  })
}
