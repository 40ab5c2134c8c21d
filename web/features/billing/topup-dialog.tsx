import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { TopupOffer } from '#contract/billing.ts'
import { messageOf } from '../../lib/api-error.ts'
import { formatCurrency } from '../../lib/format.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { creditsBefore } from './credits-before.ts'
import { creditsQuery, startTopup } from './queries.ts'
import { readWhole } from './read-number.ts'
import { billingText, topupText as text } from './text.ts'

interface TopupDialogProps {
  pack: NonNullable<TopupOffer['pack']>
  onClose: () => void
}

/** Chooses how many packs of credits to buy, and goes to the payment page. */
export default function TopupDialog({ pack, onClose }: TopupDialogProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('1')
  const [wish] = useState(newWish)
  const [saveCard, setSaveCard] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const packs = readWhole(typed, { min: 1, max: 1000 })
  const price = (count: number) => formatCurrency((count * pack.price) / 100, pack.currency)

  // Coming back from the payment page by the Back button restores the dialog as it was left: busy.
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => event.persisted && setBusy(false)
    addEventListener('pageshow', restored)
    return () => removeEventListener('pageshow', restored)
  }, [])

  const submit = async () => {
    if (packs === null) return
    setError(null)
    setBusy(true)
    try {
      const { url } = await startTopup({ packs, saveCard, requestId: `${wish}-${packs}` })
      const credits = client.getQueryData(creditsQuery.queryKey)
      if (credits) creditsBefore.keep(credits.remaining)
      location.assign(url)
    } catch (thrown) {
      setError(`${text.failed} ${messageOf(thrown, '')}`)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title={text.title}
      about={text.about(pack.credits, price(1))}
      submitLabel={text.pay}
      busyLabel={billingText.processing}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.packs}
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        disabled={busy}
        onChange={(event) => setTyped(event.target.value)}
        error={packs === null ? text.packsWrong : null}
        hint={packs === null ? undefined : text.sum(packs * pack.credits, price(packs))}
      />
      <Checkbox label={text.saveCard} checked={saveCard} onChange={(event) => setSaveCard(event.target.checked)} />
    </FormDialog>
  )
}

/** crypto.randomUUID exists in secure contexts only; plain http under another name than localhost is none. */
const newWish = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
