import { clsx } from 'clsx'
import { type MouseEvent as ReactMouseEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useUnsaved } from '../../lib/unsaved.ts'
import { rememberPlace } from '../focus-near.ts'
import { keepWidth } from './keep-width.ts'

interface ModalProps {
  open: boolean
  /** Called on Escape and backdrop click; the owner decides. */
  onClose: () => void
  label: string
  role?: 'dialog' | 'alertdialog'
  className: string
  children: ReactNode
}

/**
 * The native modal dialog: the page behind is inert and does not scroll. On close the focus returns to the control that
 * opened it, or near its place. While it is open, its input survives the end of the session.
 */
export function Modal({ open, onClose, label, role = 'dialog', className, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState(false)
  const refocus = useRef<() => void>(undefined)
  useUnsaved(open && typed)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) {
      refocus.current = rememberPlace(document.activeElement)
      keepWidth()
      dialog.showModal()
    }
    if (!open && dialog.open) {
      dialog.close()
      refocus.current?.()
    }
    if (!open) setTyped(false)
  }, [open])

  // An open dialog must be closed before it unmounts: only closing restores the focus.
  useLayoutEffect(() => {
    const dialog = ref.current
    return () => {
      if (!dialog?.open) return
      dialog.close()
      if (refocus.current) queueMicrotask(refocus.current)
    }
  }, [])

  // Only a backdrop click has the dialog itself as target: the content fills the rest.
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
