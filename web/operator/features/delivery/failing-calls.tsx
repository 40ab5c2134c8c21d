import { useQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { call } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'

const ranges = { '24': '24 hours', '168': '7 days', '720': '30 days' } as const
export const isHours = (value: unknown): boolean => String(value) in ranges

/** Calls that brought an error, by tool and cause. */
export function FailingCalls({ hours, onHours }: { hours: number; onHours: (hours: number) => void }) {
  const failing = useQuery({
    queryKey: ['operator', 'failing-calls', hours],
    queryFn: ({ signal }) => call('GET /failing-calls', { query: { hours }, signal }),
    refetchInterval: 10_000,
  })
  const rows = failing.data?.failing ?? []
  return (
    <Card
      title="Failing calls"
      about="Calls of customers that brought an error. None is charged. The cause is the code of the error that the customer got. Sums by hour, written once a second; a server that is killed loses its last second. The demo key is not counted."
      flush
      className="mt-3"
      aside={
        <Segments
          label="Time"
          look="frame"
          value={String(hours)}
          options={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
          onChange={(value) => onHours(Number(value))}
        />
      }
    >
      <QueryState
        query={failing}
        className="space-y-3 px-5 pb-4"
        loading="Loading failing calls"
        bars={['h-9', 'h-9', 'h-9']}
        failed="The failing calls could not be loaded."
      />
      {failing.data && rows.length === 0 && (
        <EmptyState title="No call failed" about="Calls that bring an error appear here within moments." />
      )}
      {rows.length > 0 && (
        <Table
          label="Failing calls"
          head={
            <>
              <HeadCell>Tool</HeadCell>
              <HeadCell>Cause</HeadCell>
              <HeadCell align="right">Calls</HeadCell>
              <HeadCell align="right">Last (UTC)</HeadCell>
            </>
          }
        >
          {rows.map(({ tool, cause, calls, last_at }) => (
            <tr key={`${tool} ${cause}`}>
              <Cell className="font-mono">{tool}</Cell>
              <Cell>{cause}</Cell>
              <Cell align="right">{count(calls)}</Cell>
              <Cell align="right" className="whitespace-nowrap">
                {utcTime(last_at)}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
