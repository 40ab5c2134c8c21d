import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readMoney, typedMoney } from '#contract/typed-money.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count, money, utcTime } from '../../lib/format.ts'
import { read } from '../../lib/read.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Effect } from './effect.tsx'
import { type DialogProps, refundsQuery } from './queries.ts'

/** The invoice of a payment comes with an event, so it is looked for while the form is open. */
const LOOK_AGAIN_MS = 3000

type Refundable = { paid_cents: number; refunded_cents: number }
const isRefundable = ({ paid_cents, refunded_cents }: Refundable): boolean => refunded_cents < paid_cents

/** Refunds an invoice, the newest at first: by default the money of what was not burned. */
export function RefundDialog({ customer: { id }, onClose }: DialogProps) {
  const list = useQuery({
    ...refundsQuery(id),
    refetchInterval: ({ state }) => (state.data?.invoices.some(isRefundable) ? false : LOOK_AGAIN_MS),
  })
  const invoices = (list.data?.invoices ?? []).filter(isRefundable)
  const [chosen, setChosen] = useState('')
  const invoice = invoices.find((one) => one.id === chosen) ?? invoices[0]
  const currency = invoice?.currency ?? 'usd'
  // Null: what the figures say.
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const [failed, setFailed] = useState(false)
  const asked = typed === null ? undefined : centsOf(typed, currency)
  const preview = useQuery({
    ...read('GET /customers/{id}/invoices/{invoice}/refund', {
      params: { id, invoice: invoice?.id ?? '' },
      query: asked ? { cents: asked } : {},
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
  const problem = !cents
    ? `Enter an amount, such as ${typedMoney(1250, currency)}.`
    : cents > most
      ? `At most ${money(most, currency)} of this invoice can be refunded.`
      : !effect && 'The effect is still being calculated. Try again in a moment.'
  return (
    <ActDialog
      line="POST /customers/{id}/refunds"
      params={{ id }}
      danger
      title="Refund an invoice"
      about="The money goes back to the card that paid, and its share of the credits is taken back. The refund is pending until the payment provider confirms it. If it fails, the credits are given back."
      submit={cents ? `Refund ${money(cents, currency)}` : 'Refund'}
      busy="Refunding"
      input={() => {
        setWrong(problem || null)
        return invoice && cents && effect && !problem
          ? { invoice: invoice.id, cents, keeps_credits: effect.kept, refunded_cents: effect.refunded_cents }
          : null
      }}
      onDone={({ state }) => {
        setFailed(state === 'failed')
        return state !== 'failed'
      }}
      onClose={onClose}
    >
      <Loaded query={list} what="invoices" bars={['h-9']} />
      {list.data && !invoice && <p className="text-muted">This customer has no payment left to refund.</p>}
      {invoice && (
        <ChoiceField
          label="Invoice"
          value={invoice.id}
          options={Object.fromEntries(
            invoices.map((one) => [
              one.id,
              `${one.number ?? one.id}, ${utcTime(one.created_at).slice(0, 10)}, ${money(one.paid_cents, one.currency)}`,
            ]),
          )}
          onChange={(next) => {
            setChosen(next)
            setTyped(null)
          }}
        />
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
