import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ErrorState } from '../ui/states.tsx'

const reloadedKey = 'finmeter.reloaded'
const reloadPauseMs = 10_000

/** True for the failure of a code part that a newer release has replaced. */
export const isStaleCode = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message)

const unreachable = 'The server cannot be reached. Check your connection and try again.'

/** Without a connection a reload would leave nothing but the browser's own page. */
const reload = () =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    () => location.reload(),
    () => {},
  )

/** What is shown when a page cannot be drawn. After a new release, old code parts are gone: one reload mends it. */
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
      // Without storage nothing could stop a loop of reloads: the button is left to the person.
    }
  }, [error])
  return (
    <main className="grid min-h-[70dvh] place-content-center text-center">
      <ErrorState
        title="This page could not be shown"
        error={isStaleCode(error) ? new Error(unreachable) : error}
        onRetry={reload}
      />
      {/* A whole load: what could not be shown may be the application itself. */}
      <a href="/" className="underline underline-offset-4">
        Home
      </a>
    </main>
  )
}
