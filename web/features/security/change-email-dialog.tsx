import { type FormEvent, useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { CodeField } from '../../ui/form/code-field.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { authText } from '../auth/text.ts'
import { useRefreshEmail, useRequestEmailChange, verifyAddress } from './change-email.ts'
import { securityText as text } from './text.ts'

const emailLike = /^[^\s@]+@[^\s@]+$/

interface ChangeEmailDialogProps {
  /** The current address; null if there is none. */
  current: string | null
  /** The pending address, whose codes are still to be entered. */
  pending: string | null
  onClose: () => void
}

/** Changes the email address: first the new address, then the codes sent to both. */
export function ChangeEmailDialog({ current, pending, onClose }: ChangeEmailDialogProps) {
  const [asked, setAsked] = useState(pending)
  const done = () => {
    toast({ title: authText.emailChanged })
    onClose()
  }
  return (
    <Dialog title={text.changeEmailOf} onClose={onClose}>
      <div className="mt-4 space-y-4">
        {asked === null ? (
          <AddressForm current={current} onAsked={setAsked} onChanged={done} onClose={onClose} />
        ) : (
          <CodesForm current={current} next={asked} onChanged={done} onClose={onClose} />
        )}
      </div>
    </Dialog>
  )
}

interface AddressFormProps {
  current: string | null
  onAsked: (email: string) => void
  onChanged: () => void
  onClose: () => void
}

function AddressForm({ current, onAsked, onChanged, onClose }: AddressFormProps) {
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const ask = useRequestEmailChange()
  const takeNewEmail = useRefreshEmail()

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim().toLowerCase()
    if (ask.isPending) return
    if (!emailLike.test(address)) return setWrong(text.emailWrong)
    if (address === current) return setWrong(text.emailSame)
    setWrong(null)
    ask.mutate(address, {
      onSuccess: (waiting) => (waiting ? onAsked(waiting) : takeNewEmail().then(onChanged)),
    })
  }

  return (
    <form noValidate onSubmit={onSubmit} className="space-y-4">
      <p className="text-pretty text-muted">{text.changeEmailAbout}</p>
      <TextField
        label={text.newEmail}
        type="email"
        autoComplete="email"
        autoFocus
        error={wrong ?? (ask.isError ? messageOf(ask.error, text.sendCodesFailed) : null)}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={ask.isPending}>
          {ask.isPending ? text.sendingCodes : text.sendCodes}
        </Button>
        <Button onClick={onClose}>{text.cancel}</Button>
      </div>
    </form>
  )
}

interface CodesFormProps {
  current: string | null
  next: string
  onChanged: () => void
  onClose: () => void
}

function CodesForm({ current, next, onChanged, onClose }: CodesFormProps) {
  const addresses = current ? [current, next] : [next]
  const [codes, setCodes] = useState<Record<string, string>>({})
  const [agreed, setAgreed] = useState<string[]>([])
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const ask = useRequestEmailChange()
  const takeNewEmail = useRefreshEmail()

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    const entered = addresses.filter((address) => codes[address]?.length === 6 && !agreed.includes(address))
    const waiting = addresses.filter((address) => !agreed.includes(address))
    if (busy) return
    if (entered.length === 0) return setWrong(Object.fromEntries(waiting.map((address) => [address, text.codeWrong])))
    setBusy(true)
    const failed: Record<string, string> = {}
    for (const address of entered) {
      try {
        await verifyAddress(address, codes[address]!)
        setAgreed((before) => [...before, address])
      } catch (error) {
        failed[address] = messageOf(error, text.codesFailed)
      }
    }
    // If one address is enough, the other has no code.
    const email = await takeNewEmail().catch(() => undefined)
    if (email === next) return onChanged()
    for (const address of waiting) if (!entered.includes(address)) failed[address] = text.oneMissing
    setWrong(failed)
    setCodes({})
    setBusy(false)
  }

  return (
    <form noValidate onSubmit={onSubmit} className="space-y-4">
      <p role="status" className="text-pretty wrap-anywhere text-muted">
        {text.codesSent(next, current)}
      </p>
      {addresses.map((address) =>
        agreed.includes(address) ? (
          <p key={address} className="wrap-anywhere text-success">
            {text.agreed(address)}
          </p>
        ) : (
          <CodeField
            key={address}
            label={text.codeOf(address)}
            hint={text.codeLife}
            autoFocus={address === addresses.find((each) => !agreed.includes(each))}
            error={wrong[address] ?? null}
            value={codes[address] ?? ''}
            onChange={(code) => setCodes((before) => ({ ...before, [address]: code }))}
          />
        ),
      )}
      <p role="alert" className="text-danger empty:hidden">
        {ask.isError && messageOf(ask.error, text.sendCodesFailed)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy}>
          {busy ? text.changing : text.changeNow}
        </Button>
        <Button busy={ask.isPending} onClick={() => ask.mutate(next, { onSuccess: () => setAgreed([]) })}>
          {text.sendAgain}
        </Button>
        <Button onClick={onClose}>{text.cancel}</Button>
      </div>
    </form>
  )
}
