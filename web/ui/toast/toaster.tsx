import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Toast as Primitive } from 'radix-ui'
import { type FocusEvent, useRef, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { dismissToast, openForMs, swipeThresholdPx, toastStore } from './toast-store.ts'

/** The toast viewport. F8 focuses it; hover or focus pauses the timer. */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.read)
  const viewport = useRef<HTMLOListElement>(null)
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
            'flex items-center gap-3 rounded-card border bg-surface py-3 pr-2 pl-4 text-body shadow-float',
            'data-[state=open]:animate-rise-in data-[state=closed]:animate-fade-out data-[swipe=end]:animate-fade-out',
            'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
            toast.tone === 'danger' ? 'border-danger-line' : 'border-line-strong',
          )}
        >
          <div className="min-w-0 flex-1 py-0.5">
            <Primitive.Title className={clsx('font-strong', toast.tone === 'danger' && 'text-danger')}>
              {toast.title}
            </Primitive.Title>
            {toast.description && (
              <Primitive.Description className="mt-0.5 text-muted">{toast.description}</Primitive.Description>
            )}
            {toast.action && (
              <Primitive.Action asChild altText={toast.action.label}>
                <Button size="small" className="mt-2" onClick={toast.action.onClick}>
                  {toast.action.label}
                </Button>
              </Primitive.Action>
            )}
          </div>
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
        className="fixed inset-x-4 bottom-4 z-60 mx-auto max-w-96 sm:right-4 sm:left-auto sm:mx-0 sm:w-96"
      />
    </Primitive.Provider>
  )
}
