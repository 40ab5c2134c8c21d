import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { hasStoredSession } from '../../lib/session.ts'
import { toast } from '../../ui/toast-store.ts'
import { pendingConsentRequest } from '../consent/pending.ts'
import { pendingInvitation } from '../invitation/pending.ts'
import { securityText } from '../security/text.ts'
import { completeEmailChange, type EmailChangeOutcome } from './complete-email-change.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { ProgressPage } from './progress-page.tsx'
import { authText, recoverText } from './text.ts'

/** A code can be exchanged once: the guard is per document, so that a second mount does not run it again. */
let started = false

/** What a person was about to do before signing in comes first. */
const afterSignIn = () => (pendingConsentRequest() ? '/connect' : pendingInvitation() ? '/invitation' : '/dashboard')

const emailNews: Record<EmailChangeOutcome, () => { title: string; description?: string }> = {
  changed: () => ({
    title: securityText.emailChanged,
    ...(!hasStoredSession() && { description: securityText.emailChangedElsewhere }),
  }),
  half: () => ({ title: securityText.emailHalf, description: securityText.emailHalfAbout }),
  void: () => ({ title: securityText.emailVoid, description: securityText.emailVoidAbout }),
}
const tell = (outcome: EmailChangeOutcome) => toast(emailNews[outcome]())

/** Where the provider sends the browser back to: finishes the sign-in and goes on. */
export function CallbackPage() {
  const navigate = useNavigate()
  const [text, setText] = useState(authText.completing)

  useEffect(() => {
    if (started) return
    started = true
    document.title = 'Sign in · Finmeter'
    const parameters = new URL(location.href).searchParams
    const connecting = parameters.get('connect')
    if (parameters.get('for') === 'email') {
      void completeEmailChange(new URL(location.href)).then((outcome) => {
        started = false
        tell(outcome)
        return navigate({ to: hasStoredSession() ? '/dashboard/settings' : '/login', replace: true })
      })
      return
    }
    const onSession = () => setText(authText.settingUp)
    void completeSignIn(new URL(location.href), onSession, { connecting: connecting !== null }).then((outcome) => {
      // A later sign-in in this document runs anew.
      started = false
      if (connecting && hasStoredSession()) {
        const failed = outcome.to === 'login' ? authText.connectFailed(outcome.reason) : undefined
        if (!failed) toast({ title: authText.connected(connecting) })
        return navigate({ to: '/dashboard/settings', state: { connectError: failed }, replace: true })
      }
      if (outcome.to === 'dashboard' && parameters.get('for') === 'recovery') {
        toast({ title: recoverText.done, description: recoverText.doneAbout })
        return navigate({ to: '/dashboard/settings', replace: true })
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

  return <ProgressPage text={text} />
}
