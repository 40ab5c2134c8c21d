import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading, Skeleton } from './skeleton.tsx'
import { ErrorState } from './states.tsx'

interface QueryStateProps {
  query: Pick<UseQueryResult, 'data' | 'error' | 'isFetching' | 'refetch'>
  /** Announced by screen readers while the query loads. */
  loading?: string
  /** Sizes of the skeleton bars. */
  bars?: readonly string[]
  className?: string
  /** Replaces the skeleton bars. */
  children?: ReactNode
  /** The title of the error. */
  failed: string | ((error: Error) => string)
}

/** A query that has no data yet: a skeleton while it loads, or else its error with a retry. */
export function QueryState({
  query,
  loading = '',
  bars = [],
  className = 'space-y-3',
  children,
  failed,
}: QueryStateProps) {
  const { data, error, isFetching, refetch } = query
  if (data !== undefined) return null
  if (error) {
    const title = typeof failed === 'string' ? failed : failed(error)
    return <ErrorState title={title} error={error} onRetry={refetch} retrying={isFetching} />
  }
  if (children) return children
  return (
    <Loading label={loading} className={className}>
      {bars.map((bar, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
        <Skeleton key={index} className={bar} />
      ))}
    </Loading>
  )
}
