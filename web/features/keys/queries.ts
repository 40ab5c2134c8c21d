import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '#contract/keys.ts'
import { api } from '../../lib/api.ts'

/** All keys of the workspace, oldest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => api<{ apiKeys: ApiKey[] }>('/api/keys', { signal }).then((data) => data.apiKeys),
})

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', id],
    queryFn: ({ signal }) =>
      api<{ apiKey: ApiKey }>(`/api/keys/${encodeURIComponent(id)}`, { signal }).then((data) => data.apiKey),
  })

/** Creates a key. Under KEYS_REVEAL=once the answer is the only place where the whole key ever appears. */
export function useCreateKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) =>
      api<{ apiKey: ApiKey }>('/api/keys', { method: 'post', json: { name } }).then((data) => data.apiKey),
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
}

export function useDeleteKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api(`/api/keys/${encodeURIComponent(id)}`, { method: 'delete' }),
    onSuccess: (_answer, id) => {
      client.removeQueries({ queryKey: keyQuery(id).queryKey })
      return client.invalidateQueries({ queryKey: keysQuery.queryKey, exact: true })
    },
  })
}

/** False for a value that the server shortened because this reader may not see the whole key. */
export const isWholeKey = (value: string) => value !== '' && !value.endsWith('...')
