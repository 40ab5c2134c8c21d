import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { CardPage } from '../../layout/card-page.tsx'
import { loadAuthClient, useSession } from '../../lib/auth/session.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/form/code-field.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { reportSignIn } from './complete-sign-in.ts'
import { recoverText as text } from './text.ts'

const emailLike = /^[^\s@]+@[^\s@]+$/

/** For users who lost access to their provider: an emailed link or code signs them in. */
export function RecoverPage() {
  const { user } = useSession()
  const { recovery: mayMail } = useSettings()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [entering, setEntering] = useState(false)
  const heading = usePageHeading(text.title)
  if (user && !entering) return <Navigate to="/dashboard" replace />
  return (
    <CardPage>
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
    </CardPage>
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
  /** Keeps the page mounted while a code is verified, although there is already a session. */
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
      // 'email' also accepts the code of an unconfirmed address.
      const { data, error } = await auth.verifyOtp({ type: 'email', email, token: code })
      if (error) throw error
      if (data.session) await reportSignIn(data.session)
      toast({ title: text.done, description: text.doneAbout })
      await navigate({ to: '/dashboard/settings/security', replace: true })
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
          {busy ? text.signingIn : text.signIn}
        </Button>
        <Button onClick={onAgain}>{text.again}</Button>
      </div>
    </form>
  )
}
