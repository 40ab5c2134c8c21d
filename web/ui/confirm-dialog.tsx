import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  about: ReactNode
  confirmLabel: string
  busyLabel: string
  busy: boolean
  /** Why the last try failed; shown in the dialog, which stays open. */
  error?: string | null
  onConfirm: () => void
}

/** Asks before something that cannot be undone. Cancel has the first focus; the dialog waits for the server. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  about,
  confirmLabel,
  busyLabel,
  busy,
  error,
  onConfirm,
}: ConfirmDialogProps) {
  const close = () => !busy && onOpenChange(false)
  return (
    <Modal
      open={open}
      onClose={close}
      role="alertdialog"
      label={title}
      className="mx-auto mt-[18dvh] w-[calc(100vw-2rem)] max-w-md rounded-card border border-line shadow-float"
    >
      <div className="p-5">
        <h2 className="text-prose font-strong">{title}</h2>
        <div className="mt-1 text-muted">{about}</div>
        <p role="alert" className="text-danger not-empty:mt-3">
          {error}
        </p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button autoFocus disabled={busy} onClick={close}>
            Cancel
          </Button>
          <Button look="danger" busy={busy} onClick={onConfirm}>
            {busy ? busyLabel : confirmLabel}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
