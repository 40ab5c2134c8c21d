import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Receipt, Usage, UsageRange } from '#contract/usage.ts'
import { api } from '../../lib/api.ts'

/** Requests of the range by key and time, with their sums. */
export const usageQuery = (range: UsageRange) =>
  queryOptions({
    queryKey: ['usage', range],
    queryFn: ({ signal }) => api<Usage>('/api/usage', { searchParams: { range }, signal }),
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
