import { clsx } from 'clsx'

/** A spinning ring, hidden from screen readers: put text for them next to it. */
export function Spinner({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 16 16" fill="none" aria-hidden="true" className={clsx('animate-spin', className ?? 'size-4')}>
      <circle cx="8" cy="8" r="6.5" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14.5 8A6.5 6.5 0 0 0 8 1.5" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}

/** The full-page spinner of the session check. */
export function PageSpinner({ label }: { label: string }) {
  return (
    <div role="status" className="page-spinner grid min-h-[60dvh] place-items-center text-muted">
      <Spinner className="size-6" />
      <span className="sr-only">{label}</span>
    </div>
  )
}
