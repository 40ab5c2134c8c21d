import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TopupOffer } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { usePageRestored } from '../../lib/use-page-restored.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Segments } from '../../ui/segments.tsx'
import { withTax } from '../plans/plan-price.ts'
import { AmountField } from './amount-field.tsx'
import { creditsBefore } from './credits-before.ts'
import { creditsQuery, startTopup } from './queries.ts'
import { readWhole } from './read-number.ts'
import { topupText as text } from './text.ts'

interface TopupDialogProps {
  pack: NonNullable<TopupOffer['pack']>
  /** What it is paid in; null where one currency is sold. */
  currency: string | null
  onClose: () => void
}

/** Selects how many packs of credits to buy and continues to payment. */
export default function TopupDialog({ pack, currency, onClose }: TopupDialogProps) {
  const { data: credits } = useQuery(creditsQuery)
  const [typed, setTyped] = useState('1')
  const [wish] = useState(newIdempotencyKey)
  const [saveCard, setSaveCard] = useState(false)
  const start = useMutation({
    mutationFn: (packs: number) =>
      startTopup({ packs, saveCard, requestId: `${wish}-${packs}`, ...(currency && { currency }) }),
    onSuccess: ({ url }) => {
      if (credits) creditsBefore.keep(credits.remaining)
      location.assign(url)
    },
  })
  usePageRestored(start.reset)
  // After success the browser is leaving for the payment page.
  const busy = start.isPending || start.isSuccess
  const packs = readWhole(typed, { min: 1, max: 1000 })
  const price = (count: number) => withTax(formatMoney(count * pack.price, pack.currency), pack)

  return (
    <FormDialog
      title={text.title}
      about={text.about(pack.credits, price(1))}
      submitLabel={text.pay}
      busyLabel={text.processing}
      busy={busy}
      error={start.isError ? `${text.failed} ${messageOf(start.error, '')}` : null}
      onSubmit={() => packs !== null && start.mutate(packs)}
      onClose={onClose}
    >
      <AmountField
        label={text.packs}
        value={typed}
        disabled={busy}
        onType={setTyped}
        error={packs === null ? text.packsWrong : null}
        hint={packs === null ? undefined : text.sum(packs * pack.credits, price(packs))}
      />
      <div className="flex">
        <Segments label={text.presets} look="frame" value={typed.trim()} options={presets} onChange={setTyped} />
      </div>
      {credits && !credits.unlimited && packs !== null && (
        <p className="text-muted figures">
          {text.balance(credits.remaining, credits.remaining + packs * pack.credits)}
        </p>
      )}
      <Checkbox label={text.saveCard} checked={saveCard} onChange={(event) => setSaveCard(event.target.checked)} />
    </FormDialog>
  )
}

const presets = ['1', '5', '10', '50'].map((value) => ({ value, label: value }))

/** crypto.randomUUID exists only in secure contexts, and plain http on a name other than localhost is not one. */
const newIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
