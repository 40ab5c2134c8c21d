import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { messageOf } from '../../lib/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteKey } from './queries.ts'

/** Ends a key after asking. */
export function DeleteKey({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState(false)
  const remove = useDeleteKey()
  const navigate = useNavigate()
  return (
    <>
      <Card
        title="Delete this key"
        about="Calls with it are refused at once, everywhere. Credits belong to the workspace and stay."
        aside={
          <Button look="danger" onClick={() => setOpen(true)}>
            Delete
          </Button>
        }
      />
      <ConfirmDialog
        open={open}
        onOpenChange={(next) => {
          remove.reset()
          setOpen(next)
        }}
        title="Delete API key?"
        about={
          <>
            <strong className="font-strong break-words text-ink">{apiKey.name}</strong> stops working at once. This
            cannot be undone.
          </>
        }
        confirmLabel="Delete"
        busyLabel="Deleting..."
        busy={remove.isPending}
        error={remove.isError ? messageOf(remove.error, 'The key could not be deleted.') : null}
        onConfirm={() => remove.mutate(apiKey.id, { onSuccess: () => navigate({ to: '/dashboard/api-keys' }) })}
      />
    </>
  )
}
