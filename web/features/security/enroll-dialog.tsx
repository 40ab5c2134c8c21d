import { type FormEvent, useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { ProveForm } from './prove-form.tsx'
import { useEnrollFactor } from './queries.ts'
import { securityText as text } from './text.ts'

/** Adds an authenticator app: its name, then its QR code and key with the first code. */
export function EnrollDialog({ onClose, suggestedName }: { onClose: () => void; suggestedName: string }) {
  const [name, setName] = useState(suggestedName)
  const enroll = useEnrollFactor()
  const enrollment = enroll.data

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!enroll.isPending) enroll.mutate(name.trim())
  }

  return (
    <Dialog title={text.enrollTitle} onClose={onClose}>
      <div className="mt-4 space-y-4">
        {enrollment?.type === 'totp' ? (
          <>
            <p className="text-muted">{text.scan}</p>
            <img
              src={enrollment.totp.qr_code}
              alt={text.picture}
              className="mx-auto size-56 rounded-control bg-white"
            />
            <div>
              <p className="mb-1.5 font-strong">{text.key}</p>
              <div className="flex flex-wrap items-center gap-2">
                <code className="flex min-w-0 flex-1 flex-wrap gap-x-2 font-mono">
                  {enrollment.totp.secret.match(/.{1,4}/g)?.map((group, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the groups never move, and two may be equal
                    <span key={index}>{group}</span>
                  ))}
                </code>
                <CopyTextButton
                  size="small"
                  value={enrollment.totp.secret}
                  label={text.copyKey}
                  done={text.keyCopied}
                />
              </div>
            </div>
            <ProveForm
              factorId={enrollment.id}
              onProved={() => {
                toast({ title: text.enrolled })
                onClose()
              }}
              aside={<Button onClick={onClose}>{text.cancel}</Button>}
            />
          </>
        ) : (
          <form noValidate onSubmit={onSubmit} className="space-y-4">
            <TextField
              label={text.enrollName}
              hint={text.enrollNameHint}
              error={enroll.isError ? messageOf(enroll.error, text.enrollFailed) : null}
              autoFocus
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <div className="flex flex-wrap gap-2">
              <Button type="submit" look="primary" busy={enroll.isPending}>
                {text.continue}
              </Button>
              <Button onClick={onClose}>{text.cancel}</Button>
            </div>
          </form>
        )}
      </div>
    </Dialog>
  )
}
