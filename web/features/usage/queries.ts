import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ReceiptsFilter, ToolShares, Usage, UsageRange } from '#contract/usage.ts'
import { api } from '../../lib/http/api.ts'

type Analytics = Pick<Usage, 'analytics' | 'latency' | 'refusals'> & { recent: ToolShares }

/** Requests in the range by key and time, with totals. */
export const usageQuery = (range: UsageRange) =>
  queryOptions({
    queryKey: ['usage', range, 'all'],
    queryFn: ({ signal }) => api('getUsage', { query: { range }, signal }),
    placeholderData: keepPreviousData,
  })

/** The same for one key. */
export const keyUsageQuery = (keyId: string, range: UsageRange) =>
  queryOptions({
    queryKey: ['usage', range, keyId],
    queryFn: ({ signal }): Promise<Analytics> =>
      api('getKeyAnalytics', { params: { id: keyId }, query: { range }, signal }).then(({ analytics, ...totals }) => ({
        ...totals,
        analytics: [analytics],
      })),
    placeholderData: keepPreviousData,
  })

/** Poll interval of the latest calls while the page is visible. */
const pollMs = 3000
const pageSize = 10

/** The matching calls, newest first. While only the first page is shown, new calls appear in it. */
export const callsQuery = (filter: ReceiptsFilter) =>
  infiniteQueryOptions({
    queryKey: ['receipts', filter],
    queryFn: ({ signal, pageParam }) =>
      api('listReceipts', {
        query: { ...filter, limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : pollMs),
    placeholderData: keepPreviousData,
  })

/** A link to all matching calls as CSV, valid for a few minutes. */
export const callsCsvLink = (filter: ReceiptsFilter): Promise<string> =>
  api('linkReceiptsCsv', { query: filter }).then(({ url }) => url)
