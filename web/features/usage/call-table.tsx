import type { Receipt } from '#contract/usage.ts'
import { formatMoment, formatWhole } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Cell, HeadCell, StackedRow, Table } from '../../ui/table.tsx'
import { callTime } from './call-time.ts'
import { usageText as text } from './text.ts'

/** Calls and their cost, one per row. Those of one key do not repeat its name. */
export function CallTable({ calls, ofOneKey }: { calls: Receipt[]; ofOneKey: boolean }) {
  const now = useNow(5000)
  return (
    <Table
      stacked
      label={text.calls}
      head={
        <>
          <HeadCell>Time</HeadCell>
          <HeadCell>Tool</HeadCell>
          <HeadCell>Result</HeadCell>
          <HeadCell align="right">Credits</HeadCell>
          <HeadCell align="right">Duration</HeadCell>
          {!ofOneKey && <HeadCell>Key</HeadCell>}
          <HeadCell align="right">Receipt</HeadCell>
        </>
      }
    >
      {calls.map((call) => (
        <StackedRow
          key={call.id}
          className="max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto_auto] max-md:items-center max-md:gap-x-3 max-md:gap-y-1"
        >
          <Cell className="whitespace-nowrap text-muted" title={formatMoment(call.time)}>
            {callTime(call.time, now)}
          </Cell>
          <Cell className="font-mono text-small max-md:row-start-1 max-md:truncate md:min-w-[24ch] md:[overflow-wrap:anywhere]">
            {call.tool}
          </Cell>
          <Cell className="max-md:row-start-1 max-md:justify-self-end">
            {call.status === 'success' ? (
              <Badge tone="success">{text.succeeded}</Badge>
            ) : (
              <Badge tone="danger">{text.failedCalls}</Badge>
            )}
          </Cell>
          <Cell align="right">
            {formatWhole(call.credits)}
            <span className="md:hidden"> {call.credits === 1 ? 'credit' : 'credits'}</span>
          </Cell>
          <Cell align="right" className="whitespace-nowrap max-md:col-start-2 max-md:row-start-3 max-md:text-muted">
            {call.durationMs < 1 ? '< 1 ms' : `${formatWhole(call.durationMs)} ms`}
          </Cell>
          {!ofOneKey && (
            <Cell className="truncate max-md:row-start-3 md:w-full md:max-w-0 md:min-w-24" title={call.keyName}>
              {call.keyName}
            </Cell>
          )}
          <Cell className="md:py-1! max-md:col-start-3 max-md:row-span-3 max-md:row-start-1">
            <span className="flex items-center justify-end gap-1">
              <code title={call.id} className="font-mono text-small whitespace-nowrap text-muted max-xl:sr-only">
                <span className="sr-only">{call.id}</span>
                {/* Their beginnings are alike. */}
                <span aria-hidden="true">{`${call.id.slice(0, 5)}…${call.id.slice(-8)}`}</span>
              </code>
              <CopyButton value={call.id} label="Copy the receipt ID" done={text.receiptCopied} />
            </span>
          </Cell>
        </StackedRow>
      ))}
    </Table>
  )
}
