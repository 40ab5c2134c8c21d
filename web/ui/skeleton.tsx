import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** A grey bar in the place and size of what will come. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden="true" className={clsx('block animate-pulse rounded-control bg-hover', className)} />
}

/** A region that is loading: the words for screen readers, the bars for everybody else. */
export function Loading({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}
