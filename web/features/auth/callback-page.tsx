import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { hasStoredSession } from '../../lib/session.ts'
import { Logo } from '../../ui/logo.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast-store.ts'
import { pendingConsentRequest } from '../consent/pending.ts'
import { pendingInvitation } from '../invitation/pending.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { authText } from './text.ts'

/** A code can be exchanged once: the guard is per document, so that a second mount does not run it again. */
let started = false

/** What a person was about to do before signing in comes first. */
const afterSignIn = () => (pendingConsentRequest() ? '/connect' : pendingInvitation() ? '/invitation' : '/dashboard')

/** Where the provider sends the browser back to: finishes the sign-in and goes on. */
export function CallbackPage() {
  const navigate = useNavigate()
  const [text, setText] = useState(authText.completing)

  useEffect(() => {
    if (started) return
    started = true
    document.title = 'Sign in · Finmeter'
    const connecting = new URL(location.href).searchParams.get('connect')
    void completeSignIn(new URL(location.href), () => setText(authText.settingUp)).then((outcome) => {
      // A later sign-in in this document runs anew.
      started = false
      if (connecting && hasStoredSession()) {
        const failed = outcome.to === 'login' ? authText.connectFailed(outcome.reason) : undefined
        if (!failed) toast({ title: authText.connected(connecting) })
        return navigate({ to: '/dashboard/settings', state: { connectError: failed }, replace: true })
      }
      if (outcome.to === 'dashboard') return navigate({ to: afterSignIn(), replace: true })
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
