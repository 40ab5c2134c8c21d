import type { ReactNode } from 'react'
import { ApiError } from '../lib/http/api-error.ts'
import { Button } from './button.tsx'
import { CircleAlert } from './icons/public.ts'

/** An empty state: what will appear here, and the action that makes it appear. */
export function EmptyState({ title, about, action }: { title: string; about: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-1 px-4 py-8 text-center">
      <p className="font-strong">{title}</p>
      <p className="max-w-[44ch] text-balance text-muted">{about}</p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

interface ErrorStateProps {
  title: string
  error?: unknown
  /** Fetches again. */
  onRetry?: () => void
  retrying?: boolean
}

/** An error state: what failed, the server's reason, the request ID for support, and Try again. */
export function ErrorState({ title, error, onRetry, retrying }: ErrorStateProps) {
  const reason = error instanceof Error && !title.includes(error.message) ? error.message : null
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-4 py-8 text-center">
      <CircleAlert aria-hidden="true" className="mb-1 size-5 text-danger" />
      <p className="font-strong">{title}</p>
      {reason && <p className="max-w-[52ch] text-pretty text-muted">{reason}</p>}
      {requestId && (
        <p className="text-small text-muted">
          Request ID <code className="font-mono">{requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button className="mt-3" size="small" busy={retrying} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
