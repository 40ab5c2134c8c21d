import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
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
