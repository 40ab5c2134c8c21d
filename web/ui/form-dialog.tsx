import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'

interface FormDialogProps {
  title: string
  about: ReactNode
  submitLabel: string
  busyLabel: string
  busy: boolean
  /** Why the last try failed; shown in the dialog, which stays open with everything typed. */
  error?: string | null
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A form above the page. It is open while it is rendered; Escape, the backdrop and Cancel close it. */
export function FormDialog({
  title,
  about,
  submitLabel,
  busyLabel,
  busy,
  error,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const close = () => !busy && onClose()
  return (
    <Modal
      open
      onClose={close}
      label={title}
      className="mx-auto mt-[10dvh] max-h-[85dvh] w-[calc(100vw-2rem)] max-w-md overflow-y-auto rounded-card border border-line shadow-float"
    >
      <form
        noValidate
        className="p-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) onSubmit()
        }}
      >
        <h2 className="text-prose font-strong">{title}</h2>
        <p className="mt-1 text-pretty text-muted">{about}</p>
        <div className="mt-4 space-y-4">{children}</div>
        <p role="alert" className="text-danger not-empty:mt-4">
          {error}
        </p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button disabled={busy} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            {busy ? busyLabel : submitLabel}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
