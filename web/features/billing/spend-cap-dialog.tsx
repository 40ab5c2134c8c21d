import { useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast-store.ts'
import { useSetSpendCap } from './queries.ts'
import { readCents } from './read-number.ts'
import { autoTopupText, spendCapText as text } from './text.ts'

interface SpendCapDialogProps {
  cents: number | null
  onClose: () => void
}

/** Sets the most that pay-as-you-go may cost in a month; an empty field takes the cap away. */
export default function SpendCapDialog({ cents, onClose }: SpendCapDialogProps) {
  const save = useSetSpendCap()
  const [typed, setTyped] = useState(cents === null ? '' : (cents / 100).toFixed(2))
  const [tried, setTried] = useState(false)
  const cap = typed.trim() === '' ? 'none' : readCents(typed)

  const submit = () => {
    setTried(true)
    if (cap === null) return
    save.mutate(cap === 'none' ? null : cap, {
      onSuccess: () => {
        toast({ title: text.saved })
        onClose()
      },
    })
  }

  return (
    <FormDialog
      title={text.title}
      about={text.about}
      submitLabel={autoTopupText.save}
      busyLabel={autoTopupText.saving}
      busy={save.isPending}
      error={save.isError ? `${text.failed} ${messageOf(save.error, '')}` : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={autoTopupText.cap}
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        hint={autoTopupText.capHint}
        error={tried && cap === null ? autoTopupText.capWrong : null}
      />
    </FormDialog>
  )
}
