import { clsx } from 'clsx'
import { Loading, Skeleton } from './skeleton.tsx'

const rowIds = [0, 1, 2, 3, 4, 5, 6, 7]

interface TableSkeletonProps {
  label: string
  rows?: number
  /** For a stacked table: on a phone its rows are taller and its header is hidden. */
  stacked?: boolean
}

/** Skeleton rows for a table. */
export function TableSkeleton({ label, rows = 3, stacked = false }: TableSkeletonProps) {
  return (
    <Loading label={label}>
      <div aria-hidden="true" className={clsx('h-8 border-y border-line bg-sunken', stacked && 'max-md:h-px')} />
      {rowIds.slice(0, rows).map((row) => (
        <div
          key={row}
          aria-hidden="true"
          className={clsx(
            'flex h-10.25 items-center gap-8 border-b border-line px-5 last:border-b-0',
            stacked && 'max-md:h-23.5',
          )}
        >
          <Skeleton className="h-4 w-1/4" />
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="ml-auto h-4 w-12" />
        </div>
      ))}
    </Loading>
  )
}
