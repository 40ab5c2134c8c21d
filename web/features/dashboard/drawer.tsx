import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/dialog/modal.tsx'
import { Menu } from '../../ui/icons/dashboard.ts'
import { X } from '../../ui/icons/public.ts'

/** The navigation drawer of small screens and its button. Closes on route change, backdrop and Escape. */
export function Drawer({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const path = useLocation({ select: (location) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is the trigger, not an input
  useEffect(() => setOpen(false), [path])

  // Widening the window past the breakpoint shows the fixed sidebar instead.
  useEffect(() => {
    const wide = matchMedia('(min-width: 64rem)')
    const close = () => setOpen(false)
    wide.addEventListener('change', close)
    return () => wide.removeEventListener('change', close)
  }, [])

  return (
    <>
      <Button
        look="quiet"
        size="icon"
        aria-label="Open menu"
        aria-expanded={open}
        className="-ml-2 lg:hidden"
        onClick={() => setOpen(true)}
      >
        <Menu aria-hidden="true" className="size-5" />
      </Button>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        label="Menu"
        className="modal-drawer h-dvh w-72 border-r border-line shadow-float"
      >
        <div className="relative h-full">
          {children}
          <Button
            look="quiet"
            size="icon"
            aria-label="Close menu"
            className="absolute top-5 right-3"
            onClick={() => setOpen(false)}
          >
            <X aria-hidden="true" className="size-5" />
          </Button>
        </div>
      </Modal>
    </>
  )
}
