import { Button } from './button.tsx'
import { Eye, EyeOff } from './icons/public.ts'
import { tooltip } from './tooltip/tooltip.ts'

/** Shows or hides a secret; `of` names it. */
export function RevealButton({ revealed, onToggle, of }: { revealed: boolean; onToggle: () => void; of: string }) {
  const Icon = revealed ? EyeOff : Eye
  return (
    <Button
      look="quiet"
      size="icon"
      aria-pressed={revealed}
      aria-label={`Show ${of}`}
      onClick={onToggle}
      {...tooltip(revealed ? 'Hide' : 'Show')}
    >
      <Icon aria-hidden="true" className="size-4" />
    </Button>
  )
}
