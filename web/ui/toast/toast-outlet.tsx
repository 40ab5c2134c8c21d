import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { toastStore } from './toast-store.ts'

const importToaster = () => import('./toaster.tsx')
const Toaster = lazy(() => importToaster().then((module) => ({ default: module.Toaster })))

/** Renders toasts from the first one on; the code loads when the page is idle. */
export function ToastOutlet() {
  const any = useSyncExternalStore(
    toastStore.subscribe,
    () => toastStore.read() !== null,
    () => false,
  )
  useEffect(() => {
    const timer = setTimeout(() => void importToaster(), 2000)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{any && <Toaster />}</Suspense>
}
