import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/http/api.ts'
import { selectWorkspace } from '../../lib/workspace.ts'

/** What the secret in the link leads to, for the user. */
export const balanceQuery = (token: string) =>
  queryOptions({
    queryKey: ['claim', token],
    queryFn: ({ signal }) =>
      api('previewBalance', { body: { token }, workspace: 'own', signal }).then((data) => data.balance),
    refetchOnWindowFocus: false,
  })

/** Claims the balance and switches to its workspace. For one that is the user's already, only switches. */
export function useClaimBalance() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) =>
      api('claimBalance', { body: { token }, workspace: 'own' }).then((data) => data.workspace),
    onSuccess: (workspace) => {
      selectWorkspace(workspace.id)
      client.clear()
    },
  })
}
