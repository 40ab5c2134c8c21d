import { clsx } from 'clsx'
import { useState } from 'react'
import type { Role } from '#contract/account.ts'
import type { GivenRole, Member } from '#contract/team.ts'
import { formatUtcDate } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { useChangeRole, useRemoveMember } from './queries.ts'
import { teamText as text } from './text.ts'

/** A member's display name on this page. */
export const memberName = ({ full_name, email }: Pick<Member, 'full_name' | 'email'>) =>
  full_name || email || text.noName

/** The members; `role` is the reader's role, which decides the actions shown. */
export function MemberList({ members, role }: { members: Member[]; role: Role }) {
  const [removing, setRemoving] = useState<Member | null>(null)
  const remove = useRemoveMember()
  const mayRemove = (one: Member) =>
    !one.you && (role === 'owner' ? one.role !== 'owner' : role === 'admin' && one.role === 'member')
  return (
    <>
      <ul className="divide-y divide-line border-t border-line">
        {members.map((one) => (
          <li key={one.user_id} className="flex min-h-15 flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
            <Person member={one} />
            <div className={clsx('flex items-center gap-2', mayRemove(one) && 'max-sm:pl-12')}>
              {role === 'owner' && one.role !== 'owner' ? (
                <RoleSelect member={one} />
              ) : (
                <Badge tone={one.role === 'owner' ? 'accent' : 'neutral'}>{text.roles[one.role]}</Badge>
              )}
              {mayRemove(one) && (
                <Button aria-label={`${text.remove} ${memberName(one)}`} onClick={() => setRemoving(one)}>
                  {text.remove}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={text.removeTitle}
        about={<span className="break-words">{removing && text.removeAbout(memberName(removing))}</span>}
        confirmLabel={text.remove}
        busyLabel={text.removing}
        action={remove}
        failed={text.removeFailed}
        onConfirm={() => removing && remove.mutate(removing, { onSuccess: () => setRemoving(null) })}
      />
    </>
  )
}

function Person({ member }: { member: Member }) {
  const { user_id: id, full_name: fullName, email, avatar_url: avatarUrl, seen_on: seenOn } = member
  return (
    <div className="flex min-w-0 flex-1 basis-44 items-center gap-3">
      <Avatar user={{ id, email: email || null, fullName, avatarUrl }} className="size-9" />
      <div className="min-w-0">
        <p className="flex min-w-0 items-baseline gap-1.5">
          <bdi className="truncate font-strong" title={memberName(member)}>
            {memberName(member)}
          </bdi>
          {member.you && <span className="text-muted">({text.you})</span>}
        </p>
        <p className="text-muted [overflow-wrap:anywhere]">
          {fullName && email}
          {seenOn && <span className="block text-small">{text.seenOn(formatUtcDate(seenOn))}</span>}
        </p>
      </div>
    </div>
  )
}

function RoleSelect({ member }: { member: Member }) {
  const change = useChangeRole()
  return (
    <SelectField
      label={text.roleOf(memberName(member))}
      hideLabel
      className="w-28"
      value={member.role}
      disabled={change.isPending}
      onChange={(event) =>
        change.mutate(
          { id: member.user_id, role: event.target.value as GivenRole },
          {
            onError: (error) =>
              toast({ title: text.changeFailed, description: messageOf(error, text.actionFailed), tone: 'danger' }),
          },
        )
      }
    >
      <option value="admin">{text.roles.admin}</option>
      <option value="member">{text.roles.member}</option>
    </SelectField>
  )
}
