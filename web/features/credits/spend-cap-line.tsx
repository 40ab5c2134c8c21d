import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { formatMoney } from '#contract/currency.ts'
import { Button } from '../../ui/button.tsx'
import { preferencesQuery } from '../account/queries.ts'
import { spendCapText as text } from './text.ts'

const SpendCapDialog = lazy(() => import('./spend-cap-dialog.tsx'))

/** The spend cap and a button to change it. Renders nothing until it is loaded. */
export function SpendCapLine({ currency }: { currency: string }) {
  const { data: preferences } = useQuery(preferencesQuery)
  const [open, setOpen] = useState(false)
  if (!preferences) return null
  const { spendCapCents: cents, spendCapCurrency: of = currency } = preferences
  const isOther = cents !== null && of !== currency
  return (
    <div className="flex items-center justify-between gap-4">
      <p className={isOther ? 'min-w-0 text-danger' : 'min-w-0'}>
        <span className="block font-strong text-ink">{text.title}</span>
        {cents === null
          ? text.none
          : isOther
            ? text.other(formatMoney(cents, of), currency.toUpperCase())
            : text.set(formatMoney(cents, of))}
      </p>
      <Button size="small" onClick={() => setOpen(true)}>
        {cents === null ? 'Set' : 'Change'}
        <span className="sr-only"> {text.title}</span>
      </Button>
      <Suspense>
        {open && <SpendCapDialog cents={isOther ? null : cents} currency={currency} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  )
}
