import { Segments } from '../../../ui/segments.tsx'
import type { Data } from '../../lib/api.ts'
import { useRead } from '../../lib/read.ts'
import { type Columns, summed, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { ranges } from './search.ts'

/** Calls that brought an error, by tool and cause. */
export function FailingCalls({ hours, onHours }: { hours: number; onHours: (hours: number) => void }) {
  const failing = useRead('GET /failing-calls', { query: { hours } }, { everyMs: 10_000 })
  return (
    <List
      title="Failing calls"
      about="Customer calls that ended in an error. They are not charged. The cause is the error code that the customer got. Counted by hour, without the demo key; if a server crashes, its last second may be missing."
      className="mt-3"
      query={failing}
      what="failing calls"
      rows={failing.data?.failing ?? []}
      columns={columns}
      keyOf={({ tool, cause }) => `${tool} ${cause}`}
      sorts
      csv="failing-calls.csv"
      empty={{ title: 'No failing calls', about: 'Calls that end in an error appear here within seconds.' }}
      aside={
        <Segments
          label="Time"
          look="frame"
          value={String(hours)}
          options={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
          onChange={(value) => onHours(Number(value))}
        />
      }
    />
  )
}

const columns: Columns<Data<'GET /failing-calls'>['failing'][number]> = [
  { head: 'Tool', look: 'code', value: ({ tool }) => tool },
  { head: 'Cause', value: ({ cause }) => cause },
  summed('Calls', ({ calls }) => calls),
  time('Last (UTC)', ({ last_at }) => last_at),
]
