import { infiniteQueryOptions, keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Asked, call, type Data, type Line } from './api.ts'

/** A read of the console as a query: its key is the line and what is asked. An act reads everything again. */
export const read = <L extends Line>(line: L, asked: Asked<L> = {}) =>
  queryOptions({
    queryKey: ['operator', line, asked] as const,
    queryFn: ({ signal }) => call(line, { ...asked, signal }),
  })

/** The same in pages, for a list with a cursor: `cursor` is the parameter that takes it. */
export const readPages = <L extends Line>(
  line: L,
  asked: Asked<L> = {},
  cursor: 'before' | 'after' | 'cursor' = 'before',
) =>
  infiniteQueryOptions({
    queryKey: ['operator', line, asked, 'pages'] as const,
    queryFn: ({ pageParam, signal }) =>
      call(line, { ...asked, query: Object.assign({}, asked.query, pageParam) as never, signal }),
    initialPageParam: {},
    getNextPageParam: (page: Data<L>) => {
      const { next, nextCursor = next } = page as { next?: unknown; nextCursor?: unknown }
      return nextCursor === null || nextCursor === undefined ? null : { [cursor]: nextCursor }
    },
  })

interface Manner {
  /** Reads again that often, while the page is visible. */
  everyMs?: number
  /** Shows what was asked before until the answer is there. */
  keep?: boolean
}

export const useRead = <L extends Line>(line: L, asked: Asked<L> = {}, { everyMs, keep }: Manner = {}) =>
  useQuery({
    ...read(line, asked),
    ...(everyMs && { refetchInterval: everyMs }),
    ...(keep && { placeholderData: keepPreviousData as never }),
  })

export const usePages = <L extends Line>(line: L, asked: Asked<L> = {}, cursor?: 'before' | 'after' | 'cursor') =>
  useInfiniteQuery(readPages(line, asked, cursor))
