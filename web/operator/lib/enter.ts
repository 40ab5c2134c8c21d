import { accessToken } from '../../lib/auth/session.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { sessionQuery } from './api.ts'

/** Exchanges this browser's sign-in for a new session of the console, after a proof of a second factor. */
export async function enterAgain(): Promise<void> {
  const token = await accessToken()
  const response = token
    ? await fetch('/operator/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    : null
  if (!response?.ok)
    throw new ApiError('Your sign-in has ended. Sign in again in another tab.', { code: 'unauthorized', status: 401 })
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}
