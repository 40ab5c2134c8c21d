import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryState } from '../../ui/query-state.tsx'

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isFetching' | 'refetch'>
  /** What is loaded, in the plural or not: `prices`. */
  what: string
  bars?: readonly string[]
  className?: string | undefined
  children?: (data: T) => ReactNode
}

/** What a query has brought; until then a skeleton, or its error with Try again. */
export const Loaded = <T,>({ query, what, bars = ['h-9', 'h-9', 'h-9'], className, children }: LoadedProps<T>) =>
  query.data === undefined ? (
    <QueryState
      query={query}
      {...(className && { className })}
      loading={`Loading the ${what}`}
      bars={bars}
      failed={`The ${what} could not be loaded.`}
    />
  ) : (
    children?.(query.data)
  )
