import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { selectWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toast-store.ts'
import { useLeave } from './queries.ts'
import { teamText as text } from './text.ts'

/** The way out of somebody else's workspace, back to one's own. */
export function LeaveCard() {
  const [open, setOpen] = useState(false)
  const leave = useLeave()
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <Card
      title={text.leave}
      about={text.leaveAbout}
      aside={
        <Button look="danger" onClick={() => setOpen(true)}>
          {text.leave}
        </Button>
      }
    >
      <ConfirmDialog
        open={open}
        onOpenChange={(next) => {
          leave.reset()
          setOpen(next)
        }}
        title={text.leaveTitle}
        about={text.leaveAbout}
        confirmLabel={text.leave}
        busyLabel={text.leaving}
        busy={leave.isPending}
        error={leave.isError ? messageOf(leave.error, text.leaveFailed) : null}
        onConfirm={() =>
          leave.mutate(undefined, {
            onSuccess: async () => {
              selectWorkspace(null)
              toast({ title: text.left, description: text.leftAbout })
              await navigate({ to: '/dashboard' })
              await client.resetQueries()
            },
          })
        }
      />
    </Card>
  )
}
