import { Button } from './button.tsx'
import { CopyIcon } from './copy-icon.tsx'
import { tooltip } from './tooltip.ts'
import { type CopyProps, useCopy } from './use-copy.ts'

/** An icon button that copies. The icon is a tick for 2 s. */
export function CopyButton({ value, label, done, disabled }: CopyProps & { disabled?: boolean }) {
  const { copied, copy } = useCopy()
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={label}
      disabled={disabled}
      onClick={() => copy(value, done)}
      {...tooltip('Copy')}
    >
      <CopyIcon copied={copied} />
    </Button>
  )
}
