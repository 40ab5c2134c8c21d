import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import { type ActCustomer, type ActState, actStateQuery } from './queries.ts'

interface DialogProps {
  customer: ActCustomer
  onClose: () => void
}

/** Mails an invitation or a confirmation again. */
export function ResendDialog({ customer, onClose }: DialogProps) {
  const state = useQuery(actStateQuery(customer.id))
  const [chosen, setChosen] = useState('')
  const mails = state.data ? mailsOf(state.data) : []
  const mail = mails.find(({ key }) => key === chosen) ?? mails[0]
  const invitation = useAct('POST /customers/{id}/invitations/{invitation}/resend', {
    id: customer.id,
    invitation: mail?.id ?? '',
  })
  const verification = useAct('POST /customers/{id}/members/{member}/verification', {
    id: customer.id,
    member: mail?.id ?? '',
  })
  const act = mail?.kind === 'member' ? verification : invitation
  return (
    <ActDialog
      title="Resend an email"
      about="The email has a new link or code. The earlier one stops working."
      submitLabel="Resend"
      busyLabel="Sending"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => mail && act.mutate({ reason }, { onSuccess: onClose })}
    >
      {mails.length > 0 ? (
        <SelectField label="Email" value={mail?.key} onChange={(event) => setChosen(event.target.value)}>
          {mails.map(({ key, label }) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </SelectField>
      ) : (
        state.data && (
          <p className="text-muted">There is no open invitation, and every member has a confirmed email address.</p>
        )
      )}
    </ActDialog>
  )
}

const mailsOf = ({ invitations, members }: ActState) => [
  ...invitations.map(({ id, email, expired }) => ({
    key: `invitation ${id}`,
    kind: 'invitation' as const,
    id,
    label: `Invitation to ${email}${expired ? ', expired' : ''}`,
  })),
  ...members
    .filter(({ confirmed }) => !confirmed)
    .map(({ user_id, email }) => ({
      key: `member ${user_id}`,
      kind: 'member' as const,
      id: user_id,
      label: `Confirmation for ${email}`,
    })),
]

export function ExportDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/export', { id: customer.id })
  return (
    <ActDialog
      title="Export data"
      about={`Creates a file with the data of ${customer.owner_email ?? 'the owner'} and of the workspaces that they own. They get an email, sign in, and download the file. Nobody else can.`}
      submitLabel="Start export"
      busyLabel="Starting"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}

export function DeleteDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/delete', { id: customer.id })
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const owner = customer.owner_email ?? ''
  return (
    <ActDialog
      danger
      title="Delete customer"
      about={`The API keys and plans of every workspace that ${owner} owns end now. Their data is erased after 14 days. Until then, the owner can keep the account.`}
      submitLabel="Delete"
      busyLabel="Deleting"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => {
        if (email.trim().toLowerCase() !== owner.toLowerCase())
          return setWrong("This is not the owner's email address.")
        setWrong(null)
        act.mutate({ owner_email: email, reason }, { onSuccess: onClose })
      }}
    >
      <TextField
        label={`Type ${owner} to confirm`}
        autoComplete="off"
        value={email}
        error={wrong}
        onChange={(event) => setEmail(event.target.value)}
      />
    </ActDialog>
  )
}
