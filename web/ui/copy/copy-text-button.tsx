import { Button, type ButtonProps } from '../button.tsx'
import { CopyIcon } from './copy-icon.tsx'
import { type CopyProps, useCopy } from './use-copy.ts'

/** A text button that copies. */
export function CopyTextButton({ value, label, done, ...rest }: CopyProps & ButtonProps) {
  const { copied, copy } = useCopy()
  return (
    <Button {...rest} onClick={() => copy(value, done)}>
      <CopyIcon copied={copied} plain={rest.look === 'primary'} />
      {label}
    </Button>
  )
}
