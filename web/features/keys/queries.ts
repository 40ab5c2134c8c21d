import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '#contract/keys.ts'
import { api } from '../../lib/api.ts'
import type { toControls } from './control-fields.ts'

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

type Controls = ReturnType<typeof toControls>
export type NewKey = { name: string } & Partial<Controls>

/** Creates a key. Under KEYS_REVEAL=once the answer is the only place where the whole key ever appears. */
export function useCreateKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (key: NewKey) =>
      api<{ apiKey: ApiKey }>('/api/keys', { method: 'post', json: key }).then((data) => data.apiKey),
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

/** Changes the limits of a key. */
export function useUpdateKey(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (controls: Controls) =>
      api<{ apiKey: ApiKey }>(`/api/keys/${encodeURIComponent(id)}`, { method: 'put', json: controls }).then(
        (data) => data.apiKey,
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
}

/** Gives a key a new value; the old one works for `graceSeconds` more. */
export function useRotateKey(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (graceSeconds: number) =>
      api<{ apiKey: ApiKey }>(`/api/keys/${encodeURIComponent(id)}/rotate`, {
        method: 'post',
        json: { graceSeconds },
      }).then((data) => data.apiKey),
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
}

/** False for a value that the server shortened because this reader may not see the whole key. */
export const isWholeKey = (value: string) => value !== '' && !value.endsWith('...')
