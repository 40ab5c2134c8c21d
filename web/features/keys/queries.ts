import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { refetching } from '../../lib/http/after-change.ts'
import { api } from '../../lib/http/api.ts'
import type { toControls } from './control-fields.ts'

/** All keys of the workspace, oldest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => api('listKeys', { signal }).then((data) => data.apiKeys),
})

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', id],
    queryFn: ({ signal }) => api('getKey', { params: { id }, signal }).then((data) => data.apiKey),
  })

type Controls = ReturnType<typeof toControls>
export type NewKey = { name: string } & Partial<Controls>

/** Creates a key. Under KEYS_REVEAL=once only this response contains the full key. */
export const useCreateKey = () =>
  useMutation({
    mutationFn: (key: NewKey) => api('createKey', { body: key }).then((data) => data.apiKey),
    onSuccess: refetching(keysQuery),
  })

export function useDeleteKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api('deleteKey', { params: { id } }),
    onSuccess: (_answer, id) => {
      client.removeQueries({ queryKey: keyQuery(id).queryKey })
      return client.invalidateQueries({ queryKey: keysQuery.queryKey, exact: true })
    },
  })
}

export const useUpdateKey = (id: string) =>
  useMutation({
    mutationFn: (controls: Partial<Controls>) =>
      api('updateKey', { params: { id }, body: controls }).then((data) => data.apiKey),
    onSuccess: refetching(keysQuery),
  })

/** Rotates a key; the previous value works for another `graceSeconds`. */
export const useRotateKey = (id: string) =>
  useMutation({
    mutationFn: (graceSeconds: number) =>
      api('rotateKey', { params: { id }, body: { graceSeconds } }).then((data) => data.apiKey),
    onSuccess: refetching(keysQuery),
  })

/** False if the server shortened the value, because this user may not see the full key. */
export const isWholeKey = (value: string) => value !== '' && !value.endsWith('...')
