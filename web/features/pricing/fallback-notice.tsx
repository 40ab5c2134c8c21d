import { Button } from '../../ui/button.tsx'
import { fallbackText as text } from './fallback-text.ts'

/** Says that the standard prices are shown, since the catalog could not be loaded. */
export default function FallbackNotice({ onRetry }: { onRetry: () => void }) {
  return (
    <div
      role="status"
      className="mb-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-card border border-warning-line bg-warning-soft px-5 py-3"
    >
      <div className="min-w-0">
        <p className="font-strong text-warning">{text.title}</p>
        <p className="text-warning">{text.about}</p>
      </div>
      <Button size="small" onClick={onRetry}>
        {text.retry}
      </Button>
    </div>
  )
}
