import { useQuery } from '@tanstack/react-query'
import { call, type Data, sessionQuery } from '../../lib/api.ts'

export type Upstream = Data<'GET /upstreams'>['upstreams'][number]
export type ShownUpstream = Data<'GET /upstreams/{id}'>

/** What servers say changes by itself: read every five seconds while the page is open. */
const AGAIN_MS = 5_000

export const upstreamsQuery = {
  queryKey: ['operator', 'upstreams'] as const,
  queryFn: () => call('GET /upstreams'),
  refetchInterval: AGAIN_MS,
}

export const upstreamQuery = (id: string, version?: number) => ({
  queryKey: ['operator', 'upstreams', id, version ?? null] as const,
  queryFn: () => call('GET /upstreams/{id}', { params: { id }, query: version === undefined ? {} : { version } }),
  refetchInterval: AGAIN_MS,
})

export const secretsQuery = { queryKey: ['operator', 'secrets'] as const, queryFn: () => call('GET /upstream-secrets') }

/** Writes are the owner's: others have no buttons for them. */
export const useIsOwner = (): boolean => useQuery(sessionQuery).data?.role === 'owner'
