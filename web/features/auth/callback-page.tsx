import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Logo } from '../../ui/logo.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { completeSignIn } from './complete-sign-in.ts'
import { authText } from './text.ts'

/** A code can be exchanged once: the guard is per document, so that a second mount does not run it again. */
let started = false

/** Where the provider sends the browser back to: finishes the sign-in and goes on. */
export function CallbackPage() {
  const navigate = useNavigate()
  const [text, setText] = useState(authText.completing)

  useEffect(() => {
    if (started) return
    started = true
    document.title = 'Sign in · Finmeter'
    void completeSignIn(new URL(location.href), () => setText(authText.settingUp)).then((outcome) => {
      // A later sign-in in this document runs anew.
      started = false
      if (outcome.to === 'dashboard') return navigate({ to: '/dashboard', replace: true })
      return navigate({
        to: '/login',
        search: { error: outcome.error },
        state: { signInError: outcome.reason },
        replace: true,
      })
    })
  }, [navigate])

  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div role="status" className="flex flex-col items-center gap-4 text-center">
        <Logo />
        <Spinner className="size-6 text-muted" />
        <p className="text-muted">{text}</p>
      </div>
    </main>
  )
}
