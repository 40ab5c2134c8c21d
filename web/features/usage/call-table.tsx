import type { Receipt } from '#contract/usage.ts'
import { formatAgo, formatMoment, formatWhole } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { usageText as text } from './text.ts'

/** Calls with what they cost, a line each. */
export function CallTable({ calls }: { calls: Receipt[] }) {
  const now = useNow(5000)
  return (
    <Table
      label={text.calls}
      head={
        <>
          <HeadCell>Time</HeadCell>
          <HeadCell>Tool</HeadCell>
          <HeadCell>Result</HeadCell>
          <HeadCell align="right">Credits</HeadCell>
          <HeadCell align="right">Duration</HeadCell>
          <HeadCell>Key</HeadCell>
          <HeadCell>Receipt</HeadCell>
        </>
      }
    >
      {calls.map((call) => (
        <tr key={call.id}>
          <Cell className="whitespace-nowrap text-muted" title={formatMoment(call.time)}>
            {formatAgo(call.time, now)}
          </Cell>
          <Cell className="font-mono text-small">{call.tool}</Cell>
          <Cell>
            {call.status === 'success' ? (
              <Badge tone="success">{text.succeeded}</Badge>
            ) : (
              <Badge tone="danger">{text.failedCalls}</Badge>
            )}
          </Cell>
          <Cell align="right">{formatWhole(call.credits)}</Cell>
          <Cell align="right" className="whitespace-nowrap">
            {call.durationMs < 1 ? '< 1 ms' : `${formatWhole(call.durationMs)} ms`}
          </Cell>
          <Cell className="max-w-48 truncate" title={call.keyName}>
            {call.keyName}
          </Cell>
          <Cell className="py-1">
            <span className="flex items-center gap-1">
              <code className="max-w-40 truncate font-mono text-small text-muted" title={call.id}>
                {call.id}
              </code>
              <CopyButton value={call.id} label="Copy the receipt id" done={text.receiptCopied} />
            </span>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
