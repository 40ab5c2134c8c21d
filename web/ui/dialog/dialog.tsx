import type { ReactNode } from 'react'
import { Modal } from './modal.tsx'

interface DialogProps {
  open?: boolean
  /** Asks for a decision; see the `alertdialog` role. */
  alert?: boolean
  title: string
  about?: ReactNode
  onClose: () => void
  children: ReactNode
}

/** A titled modal dialog. It scrolls on a low screen. */
export function Dialog({ open = true, alert = false, title, about, onClose, children }: DialogProps) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      role={alert ? 'alertdialog' : 'dialog'}
      label={title}
      className="mx-auto mt-[12dvh] max-h-[84dvh] w-[calc(100vw-2rem)] max-w-md overflow-y-auto rounded-card border border-line shadow-float"
    >
      <div className="p-5">
        <h2 className="text-prose font-strong">{title}</h2>
        {about && <div className="mt-1 text-pretty text-muted">{about}</div>}
        {children}
      </div>
    </Modal>
  )
}
