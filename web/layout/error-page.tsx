import type { ErrorComponentProps } from '@tanstack/react-router'
import { useContext, useEffect } from 'react'
import { ErrorState } from '../ui/states.tsx'
import { InMain } from './in-main.ts'

const reloadedKey = 'finmeter.reloaded'
const reloadPauseMs = 10_000
const askAgainMs = 3000

/** Whether a code chunk failed to load, as after a new release. */
export const isStaleCode = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|Importing a module script failed|error loading dynamically/i.test(error.message)

const unreachable = 'The server cannot be reached. Check your connection and try again.'

/** Whether the server can be reached. */
const answers = () =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )

/** Offline, a reload would leave only the browser's error page. */
const reload = () => answers().then((reached) => reached && location.reload())

/** Whether this page has not just been reloaded for the same reason: otherwise it could reload without end. */
function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(reloadedKey) ?? 0)
    if (Date.now() - last < reloadPauseMs) return false
    sessionStorage.setItem(reloadedKey, String(Date.now()))
    return true
  } catch {
    // Without storage nothing can stop a reload loop, so the user decides.
    return false
  }
}

/**
 * Reloads the page: once if the server answers, since after a new release old chunks are gone; otherwise as soon as it
 * answers again. Returns what stops it.
 */
function recover(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let unreached = false
  let stopped = false
  const attempt = async () => {
    clearTimeout(timer)
    const reached = await answers()
    if (stopped) return
    if (reached && (unreached || mayReload())) location.reload()
    if (reached) return
    unreached = true
    timer = setTimeout(attempt, askAgainMs)
  }
  void attempt()
  addEventListener('online', attempt)
  return () => {
    stopped = true
    clearTimeout(timer)
    removeEventListener('online', attempt)
  }
}

/** Shown when a page cannot be rendered. If its code could not be loaded, it recovers by itself. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const Frame = useContext(InMain) ? 'div' : 'main'
  useEffect(() => (isStaleCode(error) ? recover() : undefined), [error])
  return (
    <Frame className="grid min-h-[70dvh] place-content-center text-center">
      <ErrorState
        title="This page could not be shown"
        error={isStaleCode(error) ? new Error(unreachable) : error}
        onRetry={reload}
      />
      {/* A full load: the application itself may be broken. */}
      <a href="/" className="underline underline-offset-4">
        Home
      </a>
    </Frame>
  )
}
