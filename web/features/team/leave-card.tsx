import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { selectWorkspace } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/dialog/confirm-dialog.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { useLeave } from './queries.ts'
import { teamText as text } from './text.ts'

/** Leaves another user's workspace and returns to one's own. */
export function LeaveCard() {
  const leave = useLeave()
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <Card
      title={text.leave}
      about={text.leaveAbout}
      aside={
        <ConfirmButton
          title={text.leaveTitle}
          about={text.leaveAbout}
          confirmLabel={text.leave}
          busyLabel={text.leaving}
          action={leave}
          failed={text.leaveFailed}
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
      }
    />
  )
}
