import * as Primitive from '@radix-ui/react-toast'
import { clsx } from 'clsx'
import { type FocusEvent, type RefObject, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { X } from '../icons/public.ts'
import { dismissToast, openForMs, swipeThresholdPx, toastStore } from './toast-store.ts'

/**
 * The toast viewport, over the page's bar and never taller: so it covers no control of the page and nothing above the
 * bar, and dialogs are above it. F8 focuses it; hover or focus pauses the timer.
 */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.read)
  const viewport = useRef<HTMLOListElement>(null)
  useOverBar(viewport, toast !== null)
  const cameFrom = useRef<HTMLElement | null>(null)
  const remember = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) cameFrom.current = relatedTarget
  }
  const close = (id: string) => {
    // Return the focus to where it was before F8.
    if (viewport.current?.contains(document.activeElement)) cameFrom.current?.focus()
    dismissToast(id)
  }
  return (
    <Primitive.Provider
      duration={openForMs}
      swipeDirection="right"
      swipeThreshold={swipeThresholdPx}
      label="Notification"
    >
      {toast && (
        <Primitive.Root
          key={toast.id}
          open={toast.open}
          onOpenChange={(open) => !open && close(toast.id)}
          type={toast.tone === 'danger' ? 'foreground' : 'background'}
          className={clsx(
            'flex max-h-(--header-height) min-h-12 items-center gap-3 rounded-card border bg-surface pr-2 pl-4 text-small shadow-float',
            'data-[state=open]:animate-rise-in data-[state=closed]:animate-fade-out data-[swipe=end]:animate-fade-out',
            'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
            toast.tone === 'danger' ? 'border-danger-line' : 'border-line-strong',
          )}
        >
          <div className="min-w-0 flex-1">
            <Primitive.Title
              className={clsx(
                'font-strong',
                toast.description ? 'line-clamp-1' : 'line-clamp-3',
                toast.tone === 'danger' && 'text-danger',
              )}
            >
              {toast.title}
            </Primitive.Title>
            {toast.description && (
              <Primitive.Description className="line-clamp-2 text-muted">{toast.description}</Primitive.Description>
            )}
          </div>
          {toast.action && (
            <Primitive.Action asChild altText={toast.action.label}>
              <Button size="small" onClick={toast.action.onClick}>
                {toast.action.label}
              </Button>
            </Primitive.Action>
          )}
          <Primitive.Close asChild>
            <Button look="quiet" size="icon" aria-label="Close">
              <X aria-hidden="true" className="size-4" />
            </Button>
          </Primitive.Close>
        </Primitive.Root>
      )}
      <Primitive.Viewport
        ref={viewport}
        onFocus={remember}
        className="fixed inset-x-2 top-(--bar-top,0px) z-60 mx-auto max-w-xl sm:mt-1"
      />
    </Primitive.Provider>
  )
}

/** Keeps the element where the page's bar is: a banner may be above it until the page is scrolled. */
function useOverBar(element: RefObject<HTMLElement | null>, shown: boolean): void {
  useLayoutEffect(() => {
    if (!shown) return
    const place = () => {
      const top = document.querySelector('header:not(main *)')?.getBoundingClientRect().top ?? 0
      element.current?.style.setProperty('--bar-top', `${Math.max(0, top)}px`)
    }
    place()
    addEventListener('scroll', place, { passive: true })
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', place)
      removeEventListener('resize', place)
    }
  }, [element, shown])
}
