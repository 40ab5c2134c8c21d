import { Badge } from '../../../ui/badge.tsx'
import type { Data } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { usePages } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { amount, type Columns, col, Two, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { RefundsCard } from '../acts/refunds-card.tsx'

const tones: Record<string, 'success' | 'warning' | 'danger'> = {
  paid: 'success',
  open: 'warning',
  uncollectible: 'danger',
}

export function InvoicesTab() {
  const id = useRouteId()
  const query = usePages('GET /customers/{id}/invoices', { params: { id } })
  return (
    <>
      <List
        title="Invoices"
        about="Newest first. Drafts and invoices of $0 are not listed. Taken back: refunded, or held by an open or lost dispute."
        query={query}
        what="invoices"
        rows={query.data?.pages.flatMap(({ invoices }) => invoices) ?? []}
        columns={columns}
        empty={{ title: 'No invoices', about: 'This customer has not bought anything yet.' }}
      />
      <RefundsCard id={id} />
    </>
  )
}

type Invoice = Data<'GET /customers/{id}/invoices'>['invoices'][number]

const currencyOf = ({ currency }: Invoice) => currency

const columns: Columns<Invoice> = [
  col('Invoice', 'name', ({ number, id }) => (
    <Two main={number ?? 'No number yet'} below={<code className="font-mono">{id}</code>} />
  )),
  col('For', 'line', ({ about }) => about),
  col('State', ({ status, dispute }) => (
    <span className="flex flex-wrap gap-1">
      <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge>
      {dispute && <Badge tone="danger">dispute: {dispute.replaceAll('_', ' ')}</Badge>}
    </span>
  )),
  amount('Amount', (one) => one.amount_cents, currencyOf),
  amount('Paid', (one) => one.paid_cents, currencyOf),
  amount('Taken back', (one) => one.reversed_cents, currencyOf, {
    cell: ({ reversed_cents: cents, currency }) => (
      <span className={cents > 0 ? 'text-warning' : 'text-muted'}>{money(cents, currency)}</span>
    ),
  }),
  time('Created (UTC)', (one) => one.created_at),
]
