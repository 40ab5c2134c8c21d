import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Workspace } from '#contract/account.ts'
import type { InvitationPreview } from '#contract/team.ts'
import { api, publicApi } from '../../lib/api.ts'
import { selectWorkspace } from '../../lib/workspace.ts'

/** What an invitation offers; whoever holds its link may ask. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      publicApi<{ invitation: InvitationPreview }>('/api/invitations/preview', {
        method: 'post',
        json: { token },
        signal,
      }).then((data) => data.invitation),
    refetchOnWindowFocus: false,
  })

/** Joins, and makes the joined workspace the one in use. */
export function useAcceptInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) =>
      api<{ workspace: Workspace }>('/api/invitations/accept', {
        method: 'post',
        json: { token },
        workspace: 'own',
      }).then((data) => data.workspace),
    onSuccess: (workspace) => {
      selectWorkspace(workspace.personal ? null : workspace.id)
      client.clear()
    },
  })
}
