import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ErrorState } from '../ui/states.tsx'

const reloadedKey = 'finmeter.reloaded'
const reloadPauseMs = 10_000

/** Whether a code chunk failed to load, as after a new release. */
export const isStaleCode = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message)

const unreachable = 'The server cannot be reached. Check your connection and try again.'

/** Offline, a reload would leave only the browser's error page. */
const reload = () =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    () => location.reload(),
    () => {},
  )

/** Shown when a page cannot be rendered. After a new release old chunks are gone, and one reload fixes it. */
export function ErrorPage({ error }: ErrorComponentProps) {
  useEffect(() => {
    if (!isStaleCode(error)) return
    try {
      const last = Number(sessionStorage.getItem(reloadedKey) ?? 0)
      if (Date.now() - last < reloadPauseMs) return
      sessionStorage.setItem(reloadedKey, String(Date.now()))
      void reload()
      addEventListener('online', reload)
      return () => removeEventListener('online', reload)
    } catch {
      // Without storage nothing can stop a reload loop, so the user decides.
    }
  }, [error])
  return (
    <main className="grid min-h-[70dvh] place-content-center text-center">
      <ErrorState
        title="This page could not be shown"
        error={isStaleCode(error) ? new Error(unreachable) : error}
        onRetry={reload}
      />
      {/* A full load: the application itself may be broken. */}
      <a href="/" className="underline underline-offset-4">
        Home
      </a>
    </main>
  )
}
