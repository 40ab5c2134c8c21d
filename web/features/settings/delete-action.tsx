import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDate } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { deletionQuery, useDeleteAccount, useKeepAccount } from './account-data-queries.ts'
import { accountDataText as text } from './account-data-text.ts'
import { ActionRow } from './action-row.tsx'

/** Account deletion, or the way to cancel it while it is pending. */
export function DeleteAction() {
  const { data: deletion, isPending, isError, isFetching, refetch } = useQuery(deletionQuery)
  if (deletion) return <Ending dueAt={deletion.due_at} />
  if (deletion === undefined && isError)
    return (
      <ActionRow
        action={
          <Button busy={isFetching} onClick={() => refetch()}>
            {text.retry}
          </Button>
        }
      >
        <p className="font-strong">{text.delete}</p>
        <p role="alert" className="text-danger">
          {text.deletionUnknown}
        </p>
      </ActionRow>
    )
  return <Delete disabled={isPending} />
}

/** `disabled` until the deletion status is known. */
function Delete({ disabled }: { disabled: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <ActionRow
        action={
          <Button look="danger" disabled={disabled} onClick={() => setOpen(true)}>
            {text.delete}
          </Button>
        }
      >
        <p className="font-strong">{text.delete}</p>
        <p className="text-muted">{text.deleteAbout}</p>
      </ActionRow>
      <DeleteDialog open={open} onClose={() => setOpen(false)} />
    </>
  )
}

function DeleteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const remove = useDeleteAccount()
  const matches = typed.trim().toLowerCase() === text.deleteWords
  const close = () => {
    remove.reset()
    setTyped('')
    onClose()
  }
  return (
    <FormDialog
      open={open}
      danger
      title={text.deleteTitle}
      about={
        <ul className="mt-2 list-disc space-y-1 pl-5">
          {text.deletePoints.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      }
      submitLabel={text.delete}
      busyLabel={text.deleting}
      busy={remove.isPending}
      disabled={!matches}
      onSubmit={() => matches && remove.mutate(typed, { onSuccess: close })}
      onClose={close}
    >
      <TextField
        label={text.deleteLabel}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        error={remove.isError ? messageOf(remove.error, text.deleteFailed) : null}
      />
    </FormDialog>
  )
}

function Ending({ dueAt }: { dueAt: string }) {
  const keep = useKeepAccount()
  return (
    <ActionRow
      action={
        <Button
          look="primary"
          busy={keep.isPending}
          onClick={() => keep.mutate(undefined, { onSettled: (_data, error) => error || toast({ title: text.kept }) })}
        >
          {keep.isPending ? text.keeping : text.keep}
        </Button>
      }
    >
      <p className="font-strong text-danger">{text.ending(formatDate(dueAt))}</p>
      <p className="text-muted">{text.endingAbout}</p>
      <p role="alert" className="text-danger not-empty:mt-1">
        {keep.isError && messageOf(keep.error, text.keepFailed)}
      </p>
    </ActionRow>
  )
}
