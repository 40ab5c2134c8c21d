import { useState } from 'react'
import type { Member } from '#contract/team.ts'
import { messageOf } from '../../lib/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useWorkspaces } from '../workspaces/queries.ts'
import { memberName } from './member-list.tsx'
import { useTransfer } from './queries.ts'
import { teamText as text } from './text.ts'

/** Makes another member the owner. */
export function TransferCard({ members }: { members: Member[] }) {
  const others = members.filter(({ role }) => role !== 'owner')
  const [chosen, choose] = useState<string>()
  const [open, setOpen] = useState(false)
  const transfer = useTransfer()
  const { current } = useWorkspaces()
  const heir = others.find(({ user_id }) => user_id === chosen) ?? others[0]
  if (!heir || !current) return null

  return (
    <Card title={text.transfer} about={text.transferAbout}>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={text.transferTo}
          className="w-64 max-w-full"
          value={heir.user_id}
          onChange={(event) => choose(event.target.value)}
        >
          {others.map((one) => (
            <option key={one.user_id} value={one.user_id}>
              {memberName(one)}
            </option>
          ))}
        </SelectField>
        <Button look="danger" onClick={() => setOpen(true)}>
          {text.transfer}
        </Button>
      </div>
      <ConfirmDialog
        open={open}
        onOpenChange={(next) => {
          transfer.reset()
          setOpen(next)
        }}
        title={text.transferTitle}
        about={<span className="break-words">{text.transferConfirm(memberName(heir))}</span>}
        confirmLabel={text.transfer}
        busyLabel={text.transferring}
        busy={transfer.isPending}
        error={transfer.isError ? messageOf(transfer.error, text.transferFailed) : null}
        onConfirm={() => transfer.mutate({ userId: heir.user_id, workspaceId: current.id })}
      />
    </Card>
  )
}
