import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count } from '../../lib/format.ts'
import { callsQuery } from './queries.ts'
import { ShowMore } from './show-more.tsx'

export type CallStatus = 'success' | 'failed'

/** Calls with receipts, newest first. */
export function CallsTab({ id, status }: { id: string; status: CallStatus | undefined }) {
  const navigate = useNavigate()
  const query = useInfiniteQuery(callsQuery(id, status))
  const calls = query.data?.pages.flatMap((page) => page.receipts) ?? []
  return (
    <Card
      title="Calls"
      about="Metered calls, newest first. A receipt explains its charge."
      flush={calls.length > 0}
      aside={
        <Segments
          label="Result"
          look="frame"
          value={status ?? 'all'}
          options={[
            { value: 'all', label: 'All' },
            { value: 'success', label: 'Successful' },
            { value: 'failed', label: 'Failed' },
          ]}
          onChange={(value) =>
            navigate({
              to: '/customers/$id/calls',
              params: { id },
              search: value === 'all' ? {} : { status: value as CallStatus },
              replace: true,
            })
          }
        />
      }
    >
      <QueryState
        query={query}
        loading="Loading the calls"
        bars={['h-9', 'h-9', 'h-9']}
        failed="The calls could not be loaded."
      />
      {query.data && calls.length === 0 && (
        <EmptyState
          title={status ? 'No matching calls' : 'No calls yet'}
          about={
            query.hasNextPage
              ? 'None of the newest calls match. Show older calls to search further.'
              : 'Calls appear here within seconds.'
          }
        />
      )}
      {calls.length > 0 && (
        <Table
          label="Calls"
          head={
            <>
              <HeadCell>Time (UTC)</HeadCell>
              <HeadCell>Tool</HeadCell>
              <HeadCell>Result</HeadCell>
              <HeadCell align="right">Credits</HeadCell>
              <HeadCell align="right">Duration</HeadCell>
              <HeadCell>Key</HeadCell>
              <HeadCell>Receipt</HeadCell>
            </>
          }
        >
          {calls.map((one) => (
            <tr key={one.id}>
              <Cell className="whitespace-nowrap">{one.time.slice(0, 19).replace('T', ' ')}</Cell>
              <Cell className="font-mono text-small">{one.tool}</Cell>
              <Cell>
                {one.status === 'success' ? (
                  <Badge tone="success">Successful</Badge>
                ) : (
                  <Badge tone="danger">Failed</Badge>
                )}
              </Cell>
              <Cell align="right">{count(one.credits)}</Cell>
              <Cell align="right" className="whitespace-nowrap">
                {count(one.durationMs)} ms
              </Cell>
              <Cell className="max-w-[20ch] truncate">
                <bdi>{one.keyName}</bdi>
              </Cell>
              <Cell>
                <Link
                  to="/receipts/$id"
                  params={{ id: one.id }}
                  className="block w-[16ch] truncate font-mono text-small underline underline-offset-4"
                >
                  {one.id}
                </Link>
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <ShowMore query={query} label="Show older calls" />
    </Card>
  )
}
