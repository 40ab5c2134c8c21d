import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useText } from '../../lib/use-text.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { type ActState, actStateQuery, type DialogProps } from './queries.ts'

/** Mails an invitation or a confirmation again. */
export function ResendDialog({ customer: { id }, onClose }: DialogProps) {
  const state = useQuery(actStateQuery(id))
  const [chosen, setChosen] = useState('')
  const mails = state.data ? mailsOf(state.data) : []
  const mail = mails.find(({ key }) => key === chosen) ?? mails[0]
  return (
    <ActDialog
      line={
        mail?.kind === 'member'
          ? 'POST /customers/{id}/members/{member}/verification'
          : 'POST /customers/{id}/invitations/{invitation}/resend'
      }
      params={{ id, [mail?.kind ?? 'member']: mail?.id ?? '' }}
      title="Resend an email"
      about="The email has a new link or code. The earlier one stops working."
      submit="Resend"
      busy="Sending"
      input={() => (mail ? {} : null)}
      onClose={onClose}
    >
      {mail ? (
        <ChoiceField
          label="Email"
          value={mail.key}
          options={Object.fromEntries(mails.map(({ key, label }) => [key, label]))}
          onChange={setChosen}
        />
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

export const ExportDialog = ({ customer, onClose }: DialogProps) => (
  <ActDialog
    line="POST /customers/{id}/export"
    params={{ id: customer.id }}
    title="Export data"
    about={`Creates a file with the data of ${customer.owner_email ?? 'the owner'} and of the workspaces that they own. They get an email, sign in, and download the file. Nobody else can.`}
    submit="Start export"
    busy="Starting"
    onClose={onClose}
  />
)

export function DeleteDialog({ customer, onClose }: DialogProps) {
  const email = useText()
  const owner = customer.owner_email ?? ''
  const isOwner = email.value.trim().toLowerCase() === owner.toLowerCase()
  return (
    <ActDialog
      line="POST /customers/{id}/delete"
      params={{ id: customer.id }}
      danger
      title="Delete customer"
      about={`The API keys and plans of every workspace that ${owner} owns end now. Their data is erased after 14 days. Until then, the owner can keep the account.`}
      submit="Delete"
      busy="Deleting"
      input={() => (isOwner ? { owner_email: email.value } : email.fail("This is not the owner's email address."))}
      onClose={onClose}
    >
      <TextField label={`Type ${owner} to confirm`} autoComplete="off" {...email.field} />
    </ActDialog>
  )
}
