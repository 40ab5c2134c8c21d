import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { refetching } from '../../lib/http/after-change.ts'
import { api } from '../../lib/http/api.ts'

/** Poll interval while an export is being built. */
const pollMs = 2000

/** The user's exports, polled while one is being built. Links expire after 15 minutes. */
export const exportsQuery = queryOptions({
  queryKey: ['account', 'exports'],
  queryFn: ({ signal }) => api('listExports', { signal }).then((data) => data.exports),
  refetchInterval: ({ state }) => (state.data?.[0]?.status === 'pending' ? pollMs : false),
})

export const useRequestExport = () =>
  useMutation({
    mutationFn: () => api('requestExport'),
    onSuccess: refetching(exportsQuery),
  })

export const deletionQuery = queryOptions({
  queryKey: ['account', 'deletion'],
  queryFn: ({ signal }) => api('getDeletion', { signal }).then((data) => data.deletion),
})

/** Requests account deletion. Keys and plan are refetched, since both have ended. */
export function useDeleteAccount() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (confirmation: string) => api('requestDeletion', { body: { confirmation } }),
    onSuccess: () => client.invalidateQueries(),
  })
}

export function useKeepAccount() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api('cancelDeletion'),
    onSuccess: ({ deletion }) => client.setQueryData(deletionQuery.queryKey, deletion),
  })
}
