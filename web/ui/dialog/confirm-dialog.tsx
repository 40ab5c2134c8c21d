import { type ReactNode, useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { useFragment } from '../../lib/use-fragment.ts'
import { Button } from '../button.tsx'
import { FormDialog } from './form-dialog.tsx'

interface Confirmation {
  title: string
  about: ReactNode
  confirmLabel: string
  busyLabel: string
  /** The mutation to confirm. Its error is shown in the dialog, which stays open, and cleared on close. */
  action: { isPending: boolean; error: Error | null; reset: () => void }
  /** Shown for an error without a message. */
  failed: string
}

interface ConfirmDialogProps extends Confirmation {
  open?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({ confirmLabel, action, failed, onConfirm, onClose, ...rest }: ConfirmDialogProps) {
  return (
    <FormDialog
      {...rest}
      danger
      submitLabel={confirmLabel}
      busy={action.isPending}
      error={action.error && messageOf(action.error, failed)}
      onSubmit={onConfirm}
      onClose={() => {
        action.reset()
        onClose()
      }}
    />
  )
}

interface ConfirmButtonProps extends Confirmation {
  look?: 'danger' | 'secondary'
  /** The fragment that opens the dialog. */
  fragment?: string
  /** `close` closes the dialog; call it on success. */
  onConfirm: (close: () => void) => void
}

/** A button that runs its action after a confirmation. Not for use inside a form. */
export function ConfirmButton({ look = 'danger', fragment, onConfirm, ...rest }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  useFragment(fragment ?? '', () => setOpen(true), fragment !== undefined)
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        {rest.confirmLabel}
      </Button>
      <ConfirmDialog {...rest} open={open} onClose={close} onConfirm={() => onConfirm(close)} />
    </>
  )
}
