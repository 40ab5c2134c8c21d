import { useRef } from 'react'
import type { Invitation } from '#contract/team.ts'
import { formatDate } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useFocusHandover } from '../../ui/focus-near.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { useResend, useRevoke } from './queries.ts'
import { teamText as text } from './text.ts'

/** Pending invitations. */
export function InvitationsCard({ invitations }: { invitations: Invitation[] }) {
  return (
    <Card title={text.invitations} flush>
      <ul className="divide-y divide-line border-t border-line">
        {invitations.map((one) => (
          <InvitationRow key={one.id} invitation={one} />
        ))}
      </ul>
    </Card>
  )
}

function InvitationRow({ invitation: { id, email, role, expires_at, expired } }: { invitation: Invitation }) {
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row)
  const resend = useResend()
  const revoke = useRevoke()
  const onError = (error: Error) => toast({ title: messageOf(error, text.actionFailed), tone: 'danger' })
  return (
    <li ref={row} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-44">
        <p className="truncate font-strong" title={email}>
          {email}
        </p>
        <p className="text-muted">
          {text.roles[role]}
          {' · '}
          <span className={expired ? 'text-warning' : undefined}>
            {(expired ? text.expired : text.expires)(formatDate(expires_at))}
          </span>
        </p>
      </div>
      <div className="flex items-center gap-2">
        <Button
          aria-label={`${text.resend} the invitation for ${email}`}
          busy={resend.isPending}
          onClick={() => resend.mutate(id, { onError })}
        >
          {text.resend}
        </Button>
        <Button
          aria-label={`${text.revoke} the invitation for ${email}`}
          busy={revoke.isPending}
          onClick={() => revoke.mutate(id, { onError })}
        >
          {text.revoke}
        </Button>
      </div>
    </li>
  )
}
