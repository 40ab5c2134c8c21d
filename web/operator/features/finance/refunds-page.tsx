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
        about="Money that went back, or came back from a won dispute, newest first, as this installation learned of it."
      />
      <Card
        title="Refunds and disputes"
        about="Credits: of the whole payment by now, those that were taken back, and those that had been used before."
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
                <HeadCell>Why</HeadCell>
                <HeadCell>Bought</HeadCell>
                <HeadCell align="right">Went back</HeadCell>
                <HeadCell align="right">Credits taken back</HeadCell>
                <HeadCell align="right">Used before</HeadCell>
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
              Show older ones
            </Button>
          </div>
        )}
      </Card>
    </>
  )
}
