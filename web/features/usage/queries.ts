import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { KeyAnalytics, Receipt, ReceiptsFilter, Usage, UsageRange } from '#contract/usage.ts'
import { api } from '../../lib/api.ts'

type Analytics = Pick<Usage, 'analytics' | 'latency' | 'refusedRequests'>

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
      api<{ analytics: KeyAnalytics } & Pick<Usage, 'latency' | 'refusedRequests'>>(
        `/api/keys/${encodeURIComponent(keyId)}/analytics`,
        {
          searchParams: { range },
          signal,
        },
      ).then(({ analytics, ...totals }) => ({ ...totals, analytics: [analytics] })),
    placeholderData: keepPreviousData,
  })

/** How often the latest calls are asked for while the page is visible. */
const pollMs = 3000
const pageSize = 10

interface Page {
  receipts: Receipt[]
  nextCursor: string | null
}

/** The calls that the filter lets through, newest first. While one page is shown, new calls appear in it by themselves. */
export const callsQuery = (filter: ReceiptsFilter) =>
  infiniteQueryOptions({
    queryKey: ['receipts', filter],
    queryFn: ({ signal, pageParam }) =>
      api<Page>('/api/usage/receipts', {
        searchParams: { ...filter, limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : pollMs),
    placeholderData: keepPreviousData,
  })

/** A link to all of them as CSV, good for some minutes. */
export const callsCsvLink = (filter: ReceiptsFilter): Promise<string> =>
  api<{ url: string }>('/api/usage/receipts/csv', { searchParams: { ...filter } }).then(({ url }) => url)
