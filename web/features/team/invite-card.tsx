import { type FormEvent, useRef, useState } from 'react'
import type { GivenRole } from '#contract/team.ts'
import { fieldMessageOf } from '../../lib/http/api-error.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { useFragment } from '../../lib/use-fragment.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useInvite } from './queries.ts'
import { teamText as text } from './text.ts'

/** Invites a member by email, with a role. */
export function InviteCard() {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<GivenRole>('member')
  const invite = useInvite()
  const input = useRef<HTMLInputElement>(null)
  const trimmed = email.trim()
  useUnsaved(trimmed !== '')
  useFragment('invite', () => input.current?.focus())

  // Reset the role: nobody becomes an admin because the previous invitee did.
  const reset = () => {
    setEmail('')
    setRole('member')
    // The button is disabled again, so focus the next email.
    input.current?.focus()
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!trimmed || invite.isPending) return
    invite.mutate({ email: trimmed, role }, { onSuccess: reset })
  }

  return (
    <Card title={text.inviteTitle} about={text.inviteAbout}>
      <form noValidate onSubmit={onSubmit} className="flex flex-wrap items-start gap-3">
        <TextField
          ref={input}
          label={text.inviteEmail}
          type="email"
          name="invite-email"
          autoComplete="off"
          placeholder="name@company.com"
          value={email}
          maxLength={400}
          onChange={(event) => {
            setEmail(event.target.value)
            if (invite.isError) invite.reset()
          }}
          error={invite.isError ? fieldMessageOf(invite.error, 'email', text.inviteFailed) : null}
          className="min-w-0 flex-1 basis-64"
        />
        <SelectField
          label={text.role}
          value={role}
          onChange={(event) => setRole(event.target.value as GivenRole)}
          className="w-32"
        >
          <option value="member">{text.roles.member}</option>
          <option value="admin">{text.roles.admin}</option>
        </SelectField>
        <Button type="submit" look="primary" className="mt-6.5" disabled={!trimmed} busy={invite.isPending}>
          {invite.isPending ? text.inviting : text.invite}
        </Button>
      </form>
    </Card>
  )
}
