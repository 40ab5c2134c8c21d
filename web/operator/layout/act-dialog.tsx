import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FactorProof } from '../../features/security/factor-proof.tsx'
import { authUserQuery } from '../../features/security/queries.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { sessionQuery } from '../lib/api.ts'
import { enterAgain } from '../lib/enter.ts'

interface ActDialogProps {
  title: string
  /** The effect, in numbers. */
  about: ReactNode
  submitLabel: string
  busyLabel: string
  danger?: boolean
  act: { isPending: boolean; error: Error | null; needsProof: boolean; proved: () => void }
  /** Sends the act. The reason is checked first. */
  onSubmit: (reason: string) => void
  onClose: () => void
  children?: ReactNode
}

/** A form for an act: its fields, the reason, and the proof of a second factor when the server asks for it. */
export function ActDialog({ act, onSubmit, onClose, children, ...rest }: ActDialogProps) {
  const [reason, setReason] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const submit = () => {
    const given = reason.trim()
    if (given.length < 10) return setWrong('Give a reason of at least 10 characters.')
    setWrong(null)
    onSubmit(given)
  }
  return (
    <>
      <FormDialog
        {...rest}
        busy={act.isPending}
        error={act.needsProof ? null : act.error && messageOf(act.error, 'The action failed.')}
        onSubmit={submit}
        onClose={onClose}
      >
        {children}
        <TextField
          label="Reason"
          hint="Shown in the audit log. Customers never see it."
          value={reason}
          maxLength={500}
          error={wrong}
          onChange={(event) => setReason(event.target.value)}
        />
      </FormDialog>
      {act.needsProof && (
        <ProofDialog
          onClose={act.proved}
          onProved={() => {
            act.proved()
            onSubmit(reason.trim())
          }}
        />
      )}
    </>
  )
}

/** Over the form, which stays filled. */
export function ProofDialog({ onProved, onClose }: { onProved: () => void; onClose: () => void }) {
  const user = useQuery(authUserQuery)
  const session = useQuery(sessionQuery)
  const [failure, setFailure] = useState<string | null>(null)
  const factors = user.data?.factors?.filter(({ status }) => status === 'verified') ?? []
  const proved = () =>
    enterAgain().then(onProved, (error: Error) =>
      setFailure(messageOf(error, 'The console could not be opened again.')),
    )
  const none = session.data?.second_factor === 'read_only' && factors.length === 0
  return (
    <Dialog
      title="Confirm your second factor"
      about={
        none
          ? 'This session is read-only. Add two-factor authentication in the security settings of your account, then sign in again.'
          : 'Actions on money and people need a second factor from the last ten minutes.'
      }
      onClose={onClose}
    >
      <div className="mt-4 space-y-4">
        {factors.length > 0 && (
          <FactorProof factors={factors} onProved={proved} aside={<Button onClick={onClose}>Cancel</Button>} />
        )}
        {!user.isPending && factors.length === 0 && (
          <a href="/dashboard/settings/security" className="underline underline-offset-4">
            Open security settings
          </a>
        )}
        <p role="alert" className="text-danger empty:hidden">
          {failure}
        </p>
      </div>
    </Dialog>
  )
}
