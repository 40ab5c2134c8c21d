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
      about="Customer calls that ended in an error. They are not charged. The cause is the error code that the customer got. Counted by hour, without the demo key; if a server crashes, its last second may be missing."
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
        <EmptyState title="No failing calls" about="Calls that end in an error appear here within seconds." />
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
