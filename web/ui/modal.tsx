import { clsx } from 'clsx'
import { type MouseEvent as ReactMouseEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useUnsaved } from '../lib/unsaved.ts'

interface ModalProps {
  open: boolean
  /** Escape and the backdrop ask for it; the owner decides. */
  onClose: () => void
  label: string
  role?: 'dialog' | 'alertdialog'
  className: string
  children: ReactNode
}

/**
 * The browser's own modal dialog: the page behind is inert and does not scroll, focus goes in and comes back. What is typed
 * in it outlives the session as long as it is open.
 */
export function Modal({ open, onClose, label, role = 'dialog', className, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState(false)
  useUnsaved(open && typed)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
    if (!open) setTyped(false)
  }, [open])

  // A dialog that is taken away while it is open must be closed first: only closing gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current
    return () => dialog?.close()
  }, [])

  // Only the backdrop has the dialog itself as its target: the content fills the rest.
  const onClick = (event: ReactMouseEvent) => event.target === ref.current && onClose()

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, by onCancel
    <dialog
      ref={ref}
      role={role}
      aria-label={label}
      onClick={onClick}
      onInput={() => setTyped(true)}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={() => open && ref.current?.open === false && onClose()}
      className={clsx('modal bg-surface text-ink', className)}
    >
      {children}
    </dialog>
  )
}
