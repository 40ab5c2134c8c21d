import { useState } from 'react'
import { typedMoney } from '#contract/typed-money.ts'
import { SaveDialog } from '../../ui/dialog/save-dialog.tsx'
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
  const [typed, setTyped] = useState(cents === null ? '' : typedMoney(cents, currency))
  const cap = typed.trim() === '' ? 'none' : readCents(typed, currency)
  return (
    <SaveDialog
      text={{ ...autoTopupText, ...text }}
      save={useSetSpendCap()}
      body={cap === null ? null : { spendCapCents: cap === 'none' ? null : cap }}
      onClose={onClose}
    >
      {(tried) => (
        <AmountField
          label={autoTopupText.cap(currency)}
          inputMode="decimal"
          value={typed}
          onType={setTyped}
          hint={autoTopupText.capHint}
          error={tried && cap === null ? autoTopupText.capWrong(currency) : null}
        />
      )}
    </SaveDialog>
  )
}
