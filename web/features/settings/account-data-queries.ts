import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { DataExport, Deletion } from '#contract/account-data.ts'
import { api } from '../../lib/api.ts'

/** How often an export that is being built is asked for. */
const pollMs = 2000

/** The exports of the person, asked for again while one is being built. Links are fresh: they end after 15 minutes. */
export const exportsQuery = queryOptions({
  queryKey: ['account', 'exports'],
  queryFn: ({ signal }) =>
    api<{ exports: DataExport[] }>('/api/account/exports', { signal }).then((data) => data.exports),
  refetchInterval: ({ state }) => (state.data?.[0]?.status === 'pending' ? pollMs : false),
})

export function useRequestExport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api<{ export: DataExport }>('/api/account/exports', { method: 'post' }),
    onSuccess: () => client.invalidateQueries({ queryKey: exportsQuery.queryKey }),
  })
}

/** Whether and when the account ends. */
export const deletionQuery = queryOptions({
  queryKey: ['account', 'deletion'],
  queryFn: ({ signal }) =>
    api<{ deletion: Deletion }>('/api/account/deletion', { signal }).then((data) => data.deletion),
})

/** Asks for the end of the account; keys and plan are read again, since both have ended. */
export function useDeleteAccount() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (confirmation: string) =>
      api<{ deletion: Deletion }>('/api/account/deletion', { method: 'post', json: { confirmation } }),
    onSuccess: () => client.invalidateQueries(),
  })
}

export function useKeepAccount() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api<{ deletion: Deletion }>('/api/account/deletion', { method: 'delete' }),
    onSuccess: ({ deletion }) => client.setQueryData(deletionQuery.queryKey, deletion),
  })
}
