import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, publicApi } from '../../lib/http/api.ts'
import { selectWorkspace } from '../../lib/workspace.ts'

/** An invitation's details; the secret in the link is enough to read them. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      publicApi('previewInvitation', { body: { token }, signal }).then((data) => data.invitation),
    refetchOnWindowFocus: false,
  })

/** Accepts the invitation and switches to the joined workspace. */
export function useAcceptInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) =>
      api('acceptInvitation', { body: { token }, workspace: 'own' }).then((data) => data.workspace),
    onSuccess: (workspace) => {
      selectWorkspace(workspace.personal ? null : workspace.id)
      client.clear()
    },
  })
}
