import { formatUtcDay, formatUtcHour, formatWhole } from '../../lib/format.ts'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import type { Bucket } from './buckets.ts'
import { usageText as text } from './text.ts'

/** The chart's numbers, newest first. */
export function BucketTable({ buckets, hourly }: { buckets: Bucket[]; hourly: boolean }) {
  return (
    <div className="max-h-80 overflow-y-auto rounded-control border border-line">
      <Table
        label={text.title}
        head={
          <>
            <HeadCell>{hourly ? 'Hour (UTC)' : 'Day (UTC)'}</HeadCell>
            <HeadCell align="right">{text.succeeded}</HeadCell>
            <HeadCell align="right">{text.failedCalls}</HeadCell>
          </>
        }
      >
        {[...buckets].reverse().map(({ start, success, failed }) => (
          <tr key={start.getTime()}>
            <Cell>
              {formatUtcDay(start)}
              {hourly && `, ${formatUtcHour(start)}`}
            </Cell>
            <Cell align="right">{formatWhole(success)}</Cell>
            <Cell align="right">{formatWhole(failed)}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  )
}
