import { useInfiniteQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { money, utcTime } from '../../lib/format.ts'
import { RefundsCard } from '../acts/refunds-card.tsx'
import { invoicesQuery } from './queries.ts'
import { ShowMore } from './show-more.tsx'

const tones: Record<string, 'success' | 'warning' | 'danger'> = {
  paid: 'success',
  open: 'warning',
  uncollectible: 'danger',
}

export function InvoicesTab({ id }: { id: string }) {
  const query = useInfiniteQuery(invoicesQuery(id))
  const invoices = query.data?.pages.flatMap((page) => page.invoices) ?? []
  return (
    <>
      <Card
        title="Invoices"
        about="Newest first. Drafts and invoices of $0 are not listed. Taken back: refunded, or held by an open or lost dispute."
        flush={invoices.length > 0}
      >
        <QueryState
          query={query}
          loading="Loading the invoices"
          bars={['h-9', 'h-9']}
          failed="The invoices could not be loaded."
        />
        {query.data && invoices.length === 0 && (
          <EmptyState title="No invoices" about="This customer has not bought anything yet." />
        )}
        {invoices.length > 0 && (
          <Table
            label="Invoices"
            head={
              <>
                <HeadCell>Invoice</HeadCell>
                <HeadCell>For</HeadCell>
                <HeadCell>State</HeadCell>
                <HeadCell align="right">Amount</HeadCell>
                <HeadCell align="right">Paid</HeadCell>
                <HeadCell align="right">Taken back</HeadCell>
                <HeadCell>Created (UTC)</HeadCell>
              </>
            }
          >
            {invoices.map((one) => (
              <tr key={one.id} className="align-top">
                <Cell className="min-w-[20ch]">
                  {one.number ?? 'No number yet'}
                  <p className="font-mono text-small text-muted">{one.id}</p>
                </Cell>
                <Cell className="whitespace-nowrap">{one.about}</Cell>
                <Cell>
                  <span className="flex flex-wrap gap-1">
                    <Badge tone={tones[one.status] ?? 'neutral'}>{one.status}</Badge>
                    {one.dispute && <Badge tone="danger">dispute: {one.dispute.replaceAll('_', ' ')}</Badge>}
                  </span>
                </Cell>
                <Cell align="right">{money(one.amount_cents, one.currency)}</Cell>
                <Cell align="right">{money(one.paid_cents, one.currency)}</Cell>
                <Cell align="right" className={one.reversed_cents > 0 ? 'text-warning' : 'text-muted'}>
                  {money(one.reversed_cents, one.currency)}
                </Cell>
                <Cell className="whitespace-nowrap">{utcTime(one.created_at)}</Cell>
              </tr>
            ))}
          </Table>
        )}
        <ShowMore query={query} label="Show older invoices" />
      </Card>
      <RefundsCard id={id} />
    </>
  )
}
