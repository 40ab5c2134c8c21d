import { queryOptions } from '@tanstack/react-query'
import { api } from '../../lib/http/api.ts'

/** The signed-in user's profile on the server, and this tab's workspace. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => api('getProfile', { signal }),
})

export const preferencesQuery = queryOptions({
  queryKey: ['billing', 'preferences'],
  queryFn: ({ signal }) => api('getPreferences', { signal }),
})
