import type { View } from './view.ts'

/** Ends the view, here and on the server, and returns to the page where it began. */
export async function leave(view: View | null, storageKey: string): Promise<void> {
  if (!view) return
  sessionStorage.removeItem(storageKey)
  // Without an answer it ends with its time.
  await fetch('/api/support-view/end', { method: 'POST', headers: { authorization: `Bearer ${view.token}` } }).catch(
    () => {},
  )
  location.assign(new URL(view.back, location.origin).origin === location.origin ? view.back : '/')
}
