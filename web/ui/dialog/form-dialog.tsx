import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'

interface FormDialogProps {
  open?: boolean
  /** Cannot be undone. Without fields, Cancel has the initial focus. */
  danger?: boolean
  title: string
  about: ReactNode
  submitLabel: string
  busyLabel: string
  busy: boolean
  disabled?: boolean
  /** The error of the last attempt; shown in the dialog, which stays open with the input intact. */
  error?: string | null
  onSubmit: () => void
  onClose: () => void
  children?: ReactNode
}

/** A form in a modal dialog, which stays open until the server responds. Escape, the backdrop and Cancel close it. */
export function FormDialog({ open = true, danger = false, title, about, onClose, children, ...rest }: FormDialogProps) {
  const close = () => !rest.busy && onClose()
  return (
    <Dialog open={open} title={title} about={about} alert={danger} onClose={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!rest.busy) rest.onSubmit()
        }}
      >
        {children && <div className="mt-4 space-y-4">{children}</div>}
        <p role="alert" className="text-danger not-empty:mt-4">
          {rest.error}
        </p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button autoFocus={danger && !children} disabled={rest.busy} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} disabled={rest.disabled} busy={rest.busy}>
            {rest.busy ? rest.busyLabel : rest.submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
