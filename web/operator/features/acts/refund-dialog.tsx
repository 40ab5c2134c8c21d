import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readMoney, typedMoney } from '#contract/typed-money.ts'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { call } from '../../lib/api.ts'
import { count, money, utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import { Effect } from './effect.tsx'
import { type ActCustomer, refundsQuery } from './queries.ts'

interface DialogProps {
  customer: ActCustomer
  /** Chosen at first; default: the newest. */
  invoice?: string
  onClose: () => void
}

/** Refunds an invoice: by default the money of what was not burned. */
export function RefundDialog({ customer, invoice: given, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/refunds', { id: customer.id })
  const list = useQuery(refundsQuery(customer.id))
  const invoices = (list.data?.invoices ?? []).filter(({ paid_cents, refunded_cents }) => refunded_cents < paid_cents)
  const [chosen, setChosen] = useState(given)
  const invoice = invoices.find(({ id }) => id === chosen) ?? invoices[0]
  const currency = invoice?.currency ?? 'usd'
  // Null: what the figures say.
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const [failed, setFailed] = useState(false)
  const asked = typed === null ? undefined : centsOf(typed, currency)
  const preview = useQuery({
    queryKey: ['operator', 'refunds', customer.id, invoice?.id, asked],
    queryFn: ({ signal }) =>
      call('GET /customers/{id}/invoices/{invoice}/refund', {
        params: { id: customer.id, invoice: invoice!.id },
        query: asked ? { cents: asked } : {},
        signal,
      }),
    enabled: invoice !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const figures = preview.data
  const most = figures ? figures.paid_cents - figures.refunded_cents : 0
  const text = typed ?? (figures ? typedMoney(figures.unburned_cents, currency) : '')
  const cents = typed === null ? figures?.unburned_cents : centsOf(typed, currency)
  const effect = figures?.cents === cents && !preview.isPlaceholderData ? figures : null
  const submit = (reason: string) => {
    if (!invoice || !figures) return
    if (!cents) return setWrong(`Enter an amount, such as ${typedMoney(1250, currency)}.`)
    if (cents > most) return setWrong(`At most ${money(most, currency)} of this invoice can be refunded.`)
    if (!effect) return setWrong('The effect is still being calculated. Try again in a moment.')
    setWrong(null)
    act.mutate(
      { invoice: invoice.id, cents, keeps_credits: effect.kept, reason },
      { onSuccess: ({ state }) => (state === 'failed' ? setFailed(true) : onClose()) },
    )
  }
  return (
    <ActDialog
      danger
      title="Refund an invoice"
      about="The money goes back to the card that paid, and its share of the credits is taken back. The refund is pending until the payment provider confirms it. If it fails, the credits are given back."
      submitLabel={cents ? `Refund ${money(cents, currency)}` : 'Refund'}
      busyLabel="Refunding"
      act={act}
      onClose={onClose}
      onSubmit={submit}
    >
      <QueryState
        query={list}
        loading="Loading the invoices"
        bars={['h-9']}
        failed="The invoices could not be loaded."
      />
      {list.data && !invoice && <p className="text-muted">This customer has no payment left to refund.</p>}
      {invoice && (
        <SelectField
          label="Invoice"
          value={invoice.id}
          onChange={(event) => {
            setChosen(event.target.value)
            setTyped(null)
          }}
        >
          {invoices.map(({ id, number, created_at, paid_cents, currency: of }) => (
            <option key={id} value={id}>
              {number ?? id}, {utcTime(created_at).slice(0, 10)}, {money(paid_cents, of)}
            </option>
          ))}
        </SelectField>
      )}
      {figures && (
        <>
          <Effect
            facts={[
              ['Paid', money(figures.paid_cents, currency)],
              ['Already refunded', money(figures.refunded_cents, currency)],
              ['Credits granted', count(figures.granted)],
              ['Credits burned', count(figures.burned)],
              ['Credits left', count(figures.left)],
              ['Value of credits left', money(figures.unburned_cents, currency)],
            ]}
          />
          <TextField
            label={currency === 'usd' ? 'Amount in dollars' : `Amount in ${currency.toUpperCase()}`}
            inputMode="decimal"
            autoComplete="off"
            value={text}
            error={wrong}
            onChange={(event) => {
              setTyped(event.target.value)
              setWrong(null)
            }}
          />
        </>
      )}
      {effect && (
        <p aria-live="polite">
          Takes back {count(effect.taken)} credits.{' '}
          {effect.kept > 0 && (
            <strong className="text-warning">
              The customer keeps {count(effect.kept)} burned credits even though their price is refunded.
            </strong>
          )}
        </p>
      )}
      {failed && (
        <p role="alert" className="text-danger">
          The payment provider could not refund this payment. No credits were taken back.
        </p>
      )}
    </ActDialog>
  )
}

/** Minor units of an amount such as `12.5`; undefined for any other text. */
const centsOf = (text: string, currency: string): number | undefined =>
  readMoney(text.replace(/,(?=\d{1,2}$)/, '.'), currency) ?? undefined
