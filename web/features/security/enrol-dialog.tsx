import { type FormEvent, useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { CopyTextButton } from '../../ui/copy-text-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Modal } from '../../ui/modal.tsx'
import { toast } from '../../ui/toast-store.ts'
import { ProveForm } from './prove-form.tsx'
import { useEnrolFactor } from './queries.ts'
import { securityText as text } from './text.ts'

/** Adds an authenticator: its name, then its picture and key with the first code. */
export function EnrolDialog({ onClose, suggestedName }: { onClose: () => void; suggestedName: string }) {
  const [name, setName] = useState(suggestedName)
  const enrol = useEnrolFactor()
  const begun = enrol.data

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!enrol.isPending) enrol.mutate(name.trim())
  }

  return (
    <Modal
      open
      onClose={onClose}
      label={text.enrolTitle}
      className="mx-auto mt-[8dvh] max-h-[84dvh] w-[calc(100vw-2rem)] max-w-md overflow-y-auto rounded-card border border-line shadow-float"
    >
      <div className="space-y-4 p-5">
        <h2 className="text-prose font-strong">{text.enrolTitle}</h2>
        {begun?.type === 'totp' ? (
          <>
            <p className="text-muted">{text.scan}</p>
            <img src={begun.totp.qr_code} alt={text.picture} className="mx-auto size-56 rounded-control bg-white" />
            <div>
              <p className="mb-1.5 font-strong">{text.key}</p>
              <div className="flex flex-wrap items-center gap-2">
                <code className="flex min-w-0 flex-1 flex-wrap gap-x-2 font-mono">
                  {begun.totp.secret.match(/.{1,4}/g)?.map((group, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the groups never move, and two may be equal
                    <span key={index}>{group}</span>
                  ))}
                </code>
                <CopyTextButton size="small" value={begun.totp.secret} label={text.copyKey} done={text.keyCopied} />
              </div>
            </div>
            <ProveForm
              factorId={begun.id}
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
              label={text.enrolName}
              hint={text.enrolNameHint}
              error={enrol.isError ? messageOf(enrol.error, text.enrolFailed) : null}
              autoFocus
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <div className="flex flex-wrap gap-2">
              <Button type="submit" look="primary" busy={enrol.isPending}>
                {text.continue}
              </Button>
              <Button onClick={onClose}>{text.cancel}</Button>
            </div>
          </form>
        )}
      </div>
    </Modal>
  )
}
