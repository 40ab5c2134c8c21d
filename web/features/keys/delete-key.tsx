import { useNavigate } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { ConfirmButton } from '../../ui/dialog/confirm-dialog.tsx'
import { useDeleteKey } from './queries.ts'

/** Deletes a key after confirmation. */
export function DeleteKey({ apiKey }: { apiKey: ApiKey }) {
  const remove = useDeleteKey()
  const navigate = useNavigate()
  return (
    <ConfirmButton
      title="Delete API key?"
      about={
        <>
          <strong className="font-strong break-words text-ink">{apiKey.name}</strong> stops working everywhere
          immediately. This cannot be undone. Your credits stay with the workspace.
        </>
      }
      confirmLabel="Delete"
      busyLabel="Deleting..."
      action={remove}
      failed="The key could not be deleted."
      onConfirm={() => remove.mutate(apiKey.id, { onSuccess: () => navigate({ to: '/dashboard/api-keys' }) })}
    />
  )
}
