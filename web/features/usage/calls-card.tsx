import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Receipt } from '#contract/usage.ts'
import { formatAgo, formatMoment, formatWhole } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { latestCallsQuery } from './queries.ts'
import { usageText as text } from './text.ts'

/** The latest answered calls. When a new one arrives, everything that counts calls is read again. */
export function CallsCard() {
  const { data: calls, error, isPending, isFetching, refetch } = useQuery(latestCallsQuery)
  useRefreshCounters(calls?.[0]?.id)
  return (
    <Card title={text.calls} about={text.callsAbout} flush>
      {isPending && <TableSkeleton label={text.callsLoading} />}
      {error && !calls && <ErrorState title={text.callsFailed} error={error} onRetry={refetch} retrying={isFetching} />}
      {calls?.length === 0 && <EmptyState title={text.noCalls} about={text.noCallsAbout} />}
      {calls && calls.length > 0 && <CallTable calls={calls} />}
    </Card>
  )
}

function useRefreshCounters(newestId: string | undefined) {
  const client = useQueryClient()
  const seen = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (newestId === seen.current) return
    if (seen.current !== undefined || newestId !== undefined)
      for (const queryKey of [['usage'], ['billing', 'credits'], ['keys']]) void client.invalidateQueries({ queryKey })
    seen.current = newestId
  }, [client, newestId])
}

function CallTable({ calls }: { calls: Receipt[] }) {
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
            {formatWhole(call.durationMs)} ms
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
