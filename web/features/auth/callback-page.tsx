import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { hasStoredSession } from '../../lib/auth/session.ts'
import { fullTitle } from '../../lib/page-title.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { completeEmailChange, type EmailChangeOutcome } from './complete-email-change.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { takeReturnPath } from './pending.ts'
import { ProgressPage } from './progress-page.tsx'
import { authText, recoverText } from './text.ts'

/** A code can be exchanged only once: the guard is per document, so a second mount does not repeat it. */
let started = false

const emailResults: Record<EmailChangeOutcome, () => { title: string; description?: string }> = {
  changed: () => ({
    title: authText.emailChanged,
    ...(!hasStoredSession() && { description: authText.emailChangedElsewhere }),
  }),
  half: () => ({ title: authText.emailHalf, description: authText.emailHalfAbout }),
  void: () => ({ title: authText.emailVoid, description: authText.emailVoidAbout }),
}
const showResult = (outcome: EmailChangeOutcome) => toast(emailResults[outcome]())

/** The return page after sign-in: completes it and redirects. */
export function CallbackPage() {
  const navigate = useNavigate()
  const [text, setText] = useState(authText.completing)

  useEffect(() => {
    if (started) return
    started = true
    document.title = fullTitle('Sign in')
    const parameters = new URL(location.href).searchParams
    const connecting = parameters.get('connect')
    if (parameters.get('for') === 'email') {
      void completeEmailChange(new URL(location.href)).then((outcome) => {
        started = false
        showResult(outcome)
        return navigate({ to: hasStoredSession() ? '/dashboard/settings' : '/login', replace: true })
      })
      return
    }
    const onSession = () => setText(authText.settingUp)
    void completeSignIn(new URL(location.href), onSession, { connecting: connecting !== null }).then((outcome) => {
      // A later sign-in in the same document starts over.
      started = false
      if (connecting && hasStoredSession()) {
        const failed = outcome.to === 'login' ? authText.connectFailed(outcome.reason) : undefined
        if (!failed) toast({ title: authText.connected(connecting) })
        return navigate({ to: '/dashboard/settings/security', state: { connectError: failed }, replace: true })
      }
      if (outcome.to === 'dashboard' && parameters.get('for') === 'recovery') {
        toast({ title: recoverText.done, description: recoverText.doneAbout })
        return navigate({ to: '/dashboard/settings/security', replace: true })
      }
      if (outcome.to === 'dashboard') return navigate({ href: takeReturnPath(), replace: true })
      return navigate({
        to: '/login',
        search: { error: outcome.error },
        state: { signInError: outcome.reason },
        replace: true,
      })
    })
  }, [navigate])

  return <ProgressPage text={text} />
}
