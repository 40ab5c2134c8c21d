import { infiniteQueryOptions } from '@tanstack/react-query'
import type { AuditArea } from '#contract/account-data.ts'
import { api } from '../../lib/http/api.ts'

/** The audit log, paginated; an empty `area` selects all areas. */
export const auditQuery = (area: AuditArea | '') =>
  infiniteQueryOptions({
    queryKey: ['audit', area],
    queryFn: ({ pageParam, signal }) =>
      api('listAudit', {
        query: { limit: 50, ...(area && { area }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
