import { infiniteQueryOptions } from '@tanstack/react-query'
import type { AuditEntry } from '#contract/account-data.ts'
import { api } from '../../lib/api.ts'

interface Page {
  entries: AuditEntry[]
  nextCursor: string | null
}

/** The audit log, page after page; `area` is '' for everything. */
export const auditQuery = (area: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', area],
    queryFn: ({ pageParam, signal }) =>
      api<Page>('/api/audit', {
        searchParams: { limit: 50, ...(area && { area }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
