import { useState } from 'react'
import { typedMoney } from '#contract/typed-money.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { AmountField } from './amount-field.tsx'
import { useSetSpendCap } from './queries.ts'
import { readCents } from './read-number.ts'
import { autoTopupText, spendCapText as text } from './text.ts'

interface SpendCapDialogProps {
  cents: number | null
  /** What the workspace pays in. */
  currency: string
  onClose: () => void
}

/** Sets the monthly pay-as-you-go spend cap; a blank field removes it. */
export default function SpendCapDialog({ cents, currency, onClose }: SpendCapDialogProps) {
  const save = useSetSpendCap()
  const [typed, setTyped] = useState(cents === null ? '' : typedMoney(cents, currency))
  const [tried, setTried] = useState(false)
  const cap = typed.trim() === '' ? 'none' : readCents(typed, currency)

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
      <AmountField
        label={autoTopupText.cap(currency)}
        inputMode="decimal"
        value={typed}
        onType={setTyped}
        hint={autoTopupText.capHint}
        error={tried && cap === null ? autoTopupText.capWrong(currency) : null}
      />
    </FormDialog>
  )
}
