import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { taxIdKinds } from '#contract/tax-ids.ts'
import type { TaxDetails } from '#contract/tax-routes.ts'
import { countryName } from '../../../lib/countries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { toast } from '../../../ui/toast/toast-store.ts'
import { taxQuery, useRemoveTaxId } from './queries.ts'
import { taxText as text } from './text.ts'

const AddressDialog = lazy(() => import('./address-dialog.tsx'))
const TaxIdDialog = lazy(() => import('./tax-id-dialog.tsx'))

/** Billing address and tax IDs, for those who manage billing. */
export default function TaxCard() {
  const query = useQuery(taxQuery)
  const { data } = query
  return (
    <Card title={text.title} about={text.about}>
      <QueryState query={query} loading={text.loading} bars={['h-5 w-48', 'h-5 w-64']} failed={text.failed} />
      {data && (
        <div className="grid gap-5 md:grid-cols-2">
          <Address details={data} />
          <Numbers details={data} />
        </div>
      )}
    </Card>
  )
}

function Address({ details }: { details: TaxDetails }) {
  const [open, setOpen] = useState(false)
  const { name, address, located } = details
  const lines = address && [
    name,
    address.line1,
    address.line2,
    [address.postalCode, address.city].filter(Boolean).join(' '),
    address.state,
    countryName(address.country),
  ]
  return (
    <div className="min-w-0 space-y-2">
      <h3 className="font-strong">{text.address}</h3>
      {lines ? (
        <address className="not-italic text-muted [overflow-wrap:anywhere]">
          {lines.filter(Boolean).map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of an address have no identity and never move
            <span key={at} className="block">
              {line}
            </span>
          ))}
        </address>
      ) : (
        <p className="text-muted">{text.noAddress}</p>
      )}
      {address && !located && <p className="text-danger">{text.lost}</p>}
      <Button size="small" onClick={() => setOpen(true)}>
        {address ? text.changeAddress : text.addAddress}
        {address && <span className="sr-only"> {text.address}</span>}
      </Button>
      <Suspense>{open && <AddressDialog details={details} onClose={() => setOpen(false)} />}</Suspense>
    </div>
  )
}

function Numbers({ details: { taxIds } }: { details: TaxDetails }) {
  const [adding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<{ id: string; value: string } | null>(null)
  const remove = useRemoveTaxId()
  return (
    <div className="min-w-0 space-y-2">
      <h3 className="font-strong">{text.numbers}</h3>
      {taxIds.length === 0 && <p className="text-muted">{text.noNumbers}</p>}
      {taxIds.length > 0 && (
        <ul className="divide-y divide-line">
          {taxIds.map(({ id, type, value, state }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <span className="min-w-0 flex-1 basis-40">
                <span className="block font-mono [overflow-wrap:anywhere]">{value}</span>
                <span className="block text-small text-muted">{taxIdKinds[type]?.label ?? type}</span>
              </span>
              <Badge tone={text.states[state].tone}>{text.states[state].label}</Badge>
              <Button size="small" look="quiet" onClick={() => setLeaving({ id, value })}>
                {text.remove}
                <span className="sr-only"> {value}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button size="small" onClick={() => setAdding(true)}>
        {text.addNumber}
      </Button>
      <Suspense>{adding && <TaxIdDialog onClose={() => setAdding(false)} />}</Suspense>
      {leaving && (
        <ConfirmDialog
          title={text.removeTitle(leaving.value)}
          about={text.removeAbout}
          confirmLabel={text.remove}
          busyLabel={text.removing}
          action={remove}
          failed=""
          onConfirm={() =>
            remove.mutate(leaving.id, {
              onSuccess: () => {
                toast({ title: text.removed })
                setLeaving(null)
              },
            })
          }
          onClose={() => setLeaving(null)}
        />
      )}
    </div>
  )
}
