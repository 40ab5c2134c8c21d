import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { KeyAnalytics, Receipt, Usage, UsageRange } from '#contract/usage.ts'
import { api } from '../../lib/api.ts'

type Analytics = Pick<Usage, 'analytics'>

/** Requests of the range by key and time, with their sums. */
export const usageQuery = (range: UsageRange) =>
  queryOptions({
    queryKey: ['usage', range, 'all'],
    queryFn: ({ signal }) => api<Usage>('/api/usage', { searchParams: { range }, signal }),
    placeholderData: keepPreviousData,
  })

/** The same of one key. */
export const keyUsageQuery = (keyId: string, range: UsageRange) =>
  queryOptions({
    queryKey: ['usage', range, keyId],
    queryFn: ({ signal }): Promise<Analytics> =>
      api<{ analytics: KeyAnalytics }>(`/api/keys/${encodeURIComponent(keyId)}/analytics`, {
        searchParams: { range },
        signal,
      }).then(({ analytics }) => ({ analytics: [analytics] })),
    placeholderData: keepPreviousData,
  })

/** How often the latest calls are asked for while the page is visible. */
const pollMs = 3000

/** The latest calls, newest first; asked for again every 3 s, so that a new call appears by itself. */
export const latestCallsQuery = queryOptions({
  queryKey: ['receipts', 'latest'],
  queryFn: ({ signal }) =>
    api<{ receipts: Receipt[] }>('/api/usage/receipts', { searchParams: { limit: 10 }, signal }).then(
      (data) => data.receipts,
    ),
  refetchInterval: pollMs,
})
