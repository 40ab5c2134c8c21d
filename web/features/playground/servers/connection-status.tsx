import { clsx } from 'clsx'
import { Button } from '../../../ui/button.tsx'
import { RotateCw } from '../../../ui/icons/dashboard.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'

/** The connection status in one word, with Retry if that can help. */
export function ConnectionStatus({ playground }: { playground: Playground }) {
  const { connecting, loading, connected, retry } = playground
  const busy = connecting || loading
  const word = connecting ? 'connecting' : loading ? 'loading' : connected ? 'connected' : 'disconnected'
  return (
    <div className="flex items-center gap-3">
      {!connected && !connecting && (
        <Button size="small" onClick={() => void retry()}>
          <RotateCw aria-hidden="true" className="size-4" />
          {text.retry}
        </Button>
      )}
      <span role="status" className="inline-flex items-center gap-2 text-small text-muted">
        {busy ? (
          <Spinner />
        ) : (
          <span aria-hidden="true" className={clsx('size-2 rounded-full', connected ? 'bg-success' : 'bg-danger')} />
        )}
        {text.status[word]}
      </span>
    </div>
  )
}
