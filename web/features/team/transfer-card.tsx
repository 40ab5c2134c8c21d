import { useState } from 'react'
import type { Member } from '#contract/team.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/dialog/confirm-dialog.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { useWorkspaces } from '../workspaces/queries.ts'
import { memberName } from './member-list.tsx'
import { useTransfer } from './queries.ts'
import { teamText as text } from './text.ts'

export function TransferCard({ members }: { members: Member[] }) {
  const others = members.filter(({ role }) => role !== 'owner')
  const [chosen, choose] = useState<string>()
  const transfer = useTransfer()
  const { current } = useWorkspaces()
  const heir = others.find(({ user_id }) => user_id === chosen) ?? others[0]
  if (!heir || !current) return null

  return (
    <Card title={text.transfer} about={text.transferAbout}>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={text.transferTo}
          className="w-full sm:w-64"
          value={heir.user_id}
          onChange={(event) => choose(event.target.value)}
        >
          {others.map((one) => (
            <option key={one.user_id} value={one.user_id}>
              {memberName(one)}
            </option>
          ))}
        </SelectField>
        <ConfirmButton
          title={text.transferTitle}
          about={<span className="break-words">{text.transferConfirm(memberName(heir))}</span>}
          confirmLabel={text.transfer}
          busyLabel={text.transferring}
          action={transfer}
          failed={text.transferFailed}
          onConfirm={() => transfer.mutate({ userId: heir.user_id, workspaceId: current.id })}
        />
      </div>
    </Card>
  )
}
