import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { toast } from '../toast/toast-store.ts'
import { FormDialog } from './form-dialog.tsx'

interface SaveDialogProps<Body> {
  /** `saved` is the toast, `failed` precedes the server's reason. */
  text: { title: string; about: ReactNode; save: string; saving: string; saved: string; failed?: string }
  save: Pick<UseMutationResult<unknown, Error, Body>, 'isPending' | 'error' | 'mutate'>
  /** What is saved; null while a field is wrong. */
  body: Body | null
  onClose: () => void
  /** The fields. Once `tried`, they say what is wrong with them. */
  children: (tried: boolean) => ReactNode
}

/** A form that is saved, says so and closes. */
export function SaveDialog<Body>({ text, save, body, onClose, children }: SaveDialogProps<Body>) {
  const [tried, setTried] = useState(false)
  const done = () => {
    toast({ title: text.saved })
    onClose()
  }
  return (
    <FormDialog
      title={text.title}
      about={text.about}
      submitLabel={text.save}
      busyLabel={text.saving}
      busy={save.isPending}
      error={save.error && `${text.failed ?? ''} ${messageOf(save.error, '')}`.trim()}
      onSubmit={() => (body === null ? setTried(true) : save.mutate(body, { onSuccess: done }))}
      onClose={onClose}
    >
      {children(tried)}
    </FormDialog>
  )
}
