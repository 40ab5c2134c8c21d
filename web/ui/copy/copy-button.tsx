import { Button } from '../button.tsx'
import { tooltip } from '../tooltip/tooltip.ts'
import { CopyIcon } from './copy-icon.tsx'
import { type CopyProps, useCopy } from './use-copy.ts'

/** An icon button that copies and shows a tick for 2 s. */
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
