import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Credits, TopupOffer } from '#contract/billing.ts'
import { formatWhole } from '../../lib/format.ts'
import { useFragment } from '../../lib/use-fragment.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useCurrency } from '../plans/use-currency.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { creditHint } from './credit-outlook.ts'
import { creditsQuery, topupQuery } from './queries.ts'
import { autoTopupText, creditsText as text } from './text.ts'

const TopupDialog = lazy(() => import('./topup-dialog.tsx'))
const AutoTopupDialog = lazy(() => import('./auto-topup-dialog.tsx'))

/** The balance, and the ways to add credits. */
export function CreditsSummary() {
  const query = useQuery(creditsQuery)
  const { data: credits } = query
  const mayManage = useMayManage()
  const { data: offer, isPending } = useQuery({ ...topupQuery, enabled: mayManage })
  const offerComes = mayManage && isPending
  return (
    <Card
      title={text.credits}
      footer={
        offerComes ? (
          <Skeleton className="my-2 h-8 w-3/4 max-sm:h-11" />
        ) : (
          mayManage &&
          offer?.pack &&
          !credits?.unlimited && <AutoTopupLine offer={offer} billed={credits?.payAsYouGoEnabled ?? false} />
        )
      }
    >
      <QueryState
        query={query}
        loading={text.creditsLoading}
        bars={['h-8 w-28', 'h-4 w-44', 'mt-3 h-8 w-28 sm:hidden']}
        failed={text.creditsFailed}
      />
      {credits && (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <Balance credits={credits} />
          {mayManage && offer?.pack && !credits.unlimited && <BuyCredits offer={offer} />}
          {offerComes && !credits.unlimited && <Skeleton className="h-8 w-28 sm:hidden" />}
        </div>
      )}
    </Card>
  )
}

function Balance({ credits: { remaining, unlimited, payAsYouGoEnabled } }: { credits: Credits }) {
  if (unlimited)
    return (
      <div>
        <p className="text-title font-strong" aria-hidden="true">
          ∞
        </p>
        <p className="mt-1 text-muted">{text.unlimited}</p>
      </div>
    )
  return (
    <div>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-title font-strong figures">{formatWhole(remaining)}</span>
        <span className="text-muted">{text.unit}</span>
      </p>
      <p className="mt-1 text-muted">
        {payAsYouGoEnabled && remaining === 0 ? text.payAsYouGo : creditHint(remaining)}
      </p>
    </div>
  )
}

type Pack = NonNullable<TopupOffer['pack']>

/** A pack at its price in a currency, or else in its own: the server then says what to do. */
function packIn(pack: Pack, currency: string | null): Pack {
  const price = currency === null ? undefined : pack.prices?.[currency]
  return currency === null || price === undefined ? pack : { ...pack, price, currency }
}

function BuyCredits({ offer }: { offer: TopupOffer }) {
  const [open, setOpen] = useState(false)
  const { currency } = useCurrency()
  useFragment('buy-credits', () => setOpen(true))
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {text.buyCredits}
      </Button>
      <Suspense>
        {open && offer.pack && (
          <TopupDialog pack={packIn(offer.pack, currency)} currency={currency} onClose={() => setOpen(false)} />
        )}
      </Suspense>
    </>
  )
}

interface AutoTopupLineProps {
  offer: TopupOffer
  /** Calls continue without credits, billed as pay-as-you-go. */
  billed: boolean
}

function AutoTopupLine({ offer: { autoTopup, pack }, billed }: AutoTopupLineProps) {
  const [open, setOpen] = useState(false)
  const { paysIn } = useCurrency()
  return (
    <div className="space-y-2">
      <div className="flex items-center justify-between gap-4">
        <p className="min-w-0">
          <span className="block font-strong text-ink">{text.automatic}</span>
          {autoTopup.enabled ? text.automaticOn(autoTopup.threshold, autoTopup.packs) : text.automaticOff(billed)}
        </p>
        <Button size="small" onClick={() => setOpen(true)}>
          {autoTopup.enabled ? 'Change' : 'Set up'}
          <span className="sr-only"> {text.automatic}</span>
        </Button>
      </div>
      {autoTopup.suspended !== null && (
        <p className="text-danger">{autoTopupText.causes[autoTopup.suspended] ?? autoTopupText.suspended}</p>
      )}
      {autoTopup.actionUrl !== null && (
        <p className="text-warning">
          {autoTopupText.confirm}{' '}
          <a href={autoTopup.actionUrl} className="underline underline-offset-4">
            {autoTopupText.confirmLink}
          </a>
        </p>
      )}
      <Suspense>
        {open && pack && (
          <AutoTopupDialog pack={packIn(pack, paysIn)} rule={autoTopup} onClose={() => setOpen(false)} />
        )}
      </Suspense>
    </div>
  )
}
