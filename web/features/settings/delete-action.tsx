import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { formatDate } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Modal } from '../../ui/modal.tsx'
import { toast } from '../../ui/toast-store.ts'
import { deletionQuery, useDeleteAccount, useKeepAccount } from './account-data-queries.ts'
import { accountDataText as text } from './account-data-text.ts'

/** The end of the account, or the way back while there is one. */
export function DeleteAction() {
  const { data: deletion, isPending, isError, isFetching, refetch } = useQuery(deletionQuery)
  if (deletion) return <Ending dueAt={deletion.due_at} />
  if (deletion === undefined && isError)
    return (
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 pt-4">
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-strong">{text.delete}</p>
          <p role="alert" className="text-danger">
            {text.deletionUnknown}
          </p>
        </div>
        <Button busy={isFetching} onClick={() => refetch()}>
          {text.retry}
        </Button>
      </div>
    )
  return <Delete disabled={isPending} />
}

/** `disabled` until it is known that the account is not ending already. */
function Delete({ disabled }: { disabled: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 pt-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-strong">{text.delete}</p>
        <p className="text-muted">{text.deleteAbout}</p>
      </div>
      <Button look="danger" disabled={disabled} onClick={() => setOpen(true)}>
        {text.delete}
      </Button>
      <DeleteDialog open={open} onClose={() => setOpen(false)} />
    </div>
  )
}

function DeleteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const remove = useDeleteAccount()
  const matches = typed.trim().toLowerCase() === text.deleteWords
  const close = () => {
    if (remove.isPending) return
    remove.reset()
    setTyped('')
    onClose()
  }
  return (
    <Modal
      open={open}
      onClose={close}
      role="alertdialog"
      label={text.deleteTitle}
      className="mx-auto mt-[12dvh] w-[calc(100vw-2rem)] max-w-md rounded-card border border-line shadow-float"
    >
      <form
        className="p-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (matches && !remove.isPending) remove.mutate(typed, { onSuccess: close })
        }}
      >
        <h2 className="text-prose font-strong">{text.deleteTitle}</h2>
        <ul className="mt-2 mb-4 list-disc space-y-1 pl-5 text-muted">
          {text.deletePoints.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
        <TextField
          label={text.deleteLabel}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          error={remove.isError ? messageOf(remove.error, text.deleteFailed) : null}
        />
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button disabled={remove.isPending} onClick={close}>
            {text.cancel}
          </Button>
          <Button type="submit" look="danger" disabled={!matches} busy={remove.isPending}>
            {remove.isPending ? text.deleting : text.delete}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function Ending({ dueAt }: { dueAt: string }) {
  const keep = useKeepAccount()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 pt-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-strong text-danger">{text.ending(formatDate(dueAt))}</p>
        <p className="text-muted">{text.endingAbout}</p>
        <p role="alert" className="text-danger not-empty:mt-1">
          {keep.isError && messageOf(keep.error, text.keepFailed)}
        </p>
      </div>
      <Button
        look="primary"
        busy={keep.isPending}
        onClick={() => keep.mutate(undefined, { onSettled: (_data, error) => error || toast({ title: text.kept }) })}
      >
        {keep.isPending ? text.keeping : text.keep}
      </Button>
    </div>
  )
}
