import { useInfiniteQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { call } from '../../lib/api.ts'
import { count, money, utcTime } from '../../lib/format.ts'

/** Refunds and disputes, newest first. */
export function RefundsPage() {
  const returns = useInfiniteQuery({
    queryKey: ['operator', 'finance', 'refunds'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /finance/refunds', { signal, query: pageParam === null ? {} : { before: pageParam } }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })
  const entries = returns.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <PageHeader
        title="Refunds"
        about="Refunded and disputed payments, and money that won disputes brought back. Newest first."
      />
      <Card
        title="Refunds and disputes"
        about="Credits taken back and burned before are totals for the whole payment."
        flush={entries.length > 0}
      >
        <QueryState
          query={returns}
          loading="Loading the refunds"
          bars={['h-9', 'h-9', 'h-9']}
          failed="The refunds could not be loaded."
        />
        {returns.data && entries.length === 0 && (
          <EmptyState title="No refunds yet" about="Refunded and disputed payments appear here." />
        )}
        {entries.length > 0 && (
          <Table
            label="Refunds and disputes"
            head={
              <>
                <HeadCell>Time (UTC)</HeadCell>
                <HeadCell>Customer</HeadCell>
                <HeadCell>Type</HeadCell>
                <HeadCell>Bought</HeadCell>
                <HeadCell align="right">Returned</HeadCell>
                <HeadCell align="right">Credits taken back</HeadCell>
                <HeadCell align="right">Burned before</HeadCell>
                <HeadCell>Charge</HeadCell>
              </>
            }
          >
            {entries.map((entry) => (
              <tr key={entry.id}>
                <Cell className="whitespace-nowrap">{utcTime(entry.at)}</Cell>
                <Cell className="max-w-[24ch] truncate" title={entry.account_name}>
                  {entry.account_name}
                </Cell>
                <Cell className="whitespace-nowrap">
                  {entry.cause === 'refund' ? (
                    <Badge>Refund</Badge>
                  ) : (
                    <Badge tone={entry.cents < 0 ? 'success' : 'warning'}>
                      Dispute{entry.dispute ? `: ${entry.dispute.replaceAll('_', ' ')}` : ''}
                    </Badge>
                  )}
                </Cell>
                <Cell>{entry.label}</Cell>
                <Cell align="right" className="whitespace-nowrap">
                  {money(entry.cents, entry.currency)}
                </Cell>
                <Cell align="right">{count(entry.credits_taken_back)}</Cell>
                <Cell align="right">{count(entry.credits_used)}</Cell>
                <Cell>
                  <code className="font-mono text-small">{entry.charge_id}</code>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
        {returns.hasNextPage && (
          <div className="px-5 py-3">
            <Button size="small" busy={returns.isFetchingNextPage} onClick={() => returns.fetchNextPage()}>
              Show older refunds
            </Button>
          </div>
        )}
      </Card>
    </>
  )
}
