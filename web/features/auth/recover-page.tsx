import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { PublicLayout } from '../../layout/public-layout.tsx'
import { messageOf } from '../../lib/api-error.ts'
import { loadAuthClient, useSession } from '../../lib/session.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast-store.ts'
import { CodeField } from '../security/code-field.tsx'
import { announce } from './complete-sign-in.ts'
import { recoverText as text } from './text.ts'

const emailLike = /^[^\s@]+@[^\s@]+$/

/** For people who cannot use their provider any more: a mailed link or code signs them in. */
export function RecoverPage() {
  const { user } = useSession()
  const { recovery: mayMail } = useSettings()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [entering, setEntering] = useState(false)
  const heading = usePageHeading(text.title)
  if (user && !entering) return <Navigate to="/dashboard" replace />
  return (
    <PublicLayout>
      <div className="grid flex-1 place-items-center px-4 py-12">
        <section className="w-full max-w-sm rounded-card border border-line bg-surface p-6 sm:p-8">
          <h1 ref={heading} tabIndex={-1} className="text-title font-strong">
            {text.title}
          </h1>
          {!mayMail && <p className="mt-1 text-pretty text-muted">{text.off}</p>}
          {mayMail && sentTo === null && <AskForm onSent={setSentTo} />}
          {mayMail && sentTo !== null && (
            <CodeForm email={sentTo} onEntering={setEntering} onAgain={() => setSentTo(null)} />
          )}
          <p className="mt-6 border-t border-line pt-4">
            <Link to="/login" className="underline underline-offset-4 hover:text-ink">
              {text.back}
            </Link>
          </p>
        </section>
      </div>
    </PublicLayout>
  )
}

function AskForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    if (busy) return
    if (!emailLike.test(address)) return setWrong(text.emailWrong)
    setBusy(true)
    setWrong(null)
    try {
      const auth = await loadAuthClient()
      const { error } = await auth.resetPasswordForEmail(address, {
        redirectTo: `${location.origin}/auth/callback?for=recovery`,
      })
      if (error) throw error
      onSent(address)
    } catch (error) {
      setWrong(messageOf(error, text.sendFailed))
      setBusy(false)
    }
  }

  return (
    <form noValidate onSubmit={onSubmit} className="mt-1 space-y-4">
      <p className="text-pretty text-muted">{text.about}</p>
      <TextField
        label={text.email}
        type="email"
        autoComplete="email"
        autoFocus
        error={wrong}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Button type="submit" look="primary" wide busy={busy}>
        {busy ? text.sending : text.send}
      </Button>
    </form>
  )
}

interface CodeFormProps {
  email: string
  /** While a code is checked, the page stays although there is a session already. */
  onEntering: (entering: boolean) => void
  onAgain: () => void
}

function CodeForm({ email, onEntering, onAgain }: CodeFormProps) {
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setWrong(null)
    onEntering(true)
    try {
      const auth = await loadAuthClient()
      // 'email' also takes the code of an address that had yet to be confirmed.
      const { data, error } = await auth.verifyOtp({ type: 'email', email, token: code })
      if (error) throw error
      if (data.session) await announce(data.session)
      toast({ title: text.done, description: text.doneAbout })
      await navigate({ to: '/dashboard/settings', replace: true })
    } catch (error) {
      onEntering(false)
      setWrong(messageOf(error, text.codeFailed))
      setCode('')
      setBusy(false)
    }
  }

  return (
    <form noValidate onSubmit={onSubmit} className="mt-1 space-y-4">
      <p role="status" className="text-pretty wrap-anywhere text-muted">
        {text.sent(email)}
      </p>
      <CodeField value={code} onChange={setCode} error={wrong} hint={text.codeHint} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy} disabled={code.length !== 6}>
          {busy ? text.loggingIn : text.logIn}
        </Button>
        <Button onClick={onAgain}>{text.again}</Button>
      </div>
    </form>
  )
}
