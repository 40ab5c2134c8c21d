import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** A gray bar in the place and size of the content to come. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden="true" className={clsx('block animate-pulse rounded-control bg-hover', className)} />
}

/** A loading region: text for screen readers, bars for everyone else. */
export function Loading({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}
