import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { call } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { operatorActionText } from './action-text.ts'

/** What operators did, newest first. */
export function AuditPage() {
  const log = useInfiniteQuery({
    queryKey: ['operator', 'log'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /log', { signal, query: pageParam === null ? {} : { before: pageParam } }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <PageHeader
        title="Audit log"
        about="What operators did, in the console and on the command line. Entries stay when an account is deleted."
      />
      <Card title="Actions" flush={entries.length > 0}>
        <QueryState
          query={log}
          loading="Loading the log"
          bars={['h-9', 'h-9', 'h-9']}
          failed="The log could not be loaded."
        />
        {log.data && entries.length === 0 && (
          <EmptyState
            title="No actions yet"
            about="Every change that an operator makes appears here with its reason."
          />
        )}
        {entries.length > 0 && (
          <Table
            label="Operator actions"
            head={
              <>
                <HeadCell>Time (UTC)</HeadCell>
                <HeadCell>Operator</HeadCell>
                <HeadCell>Action</HeadCell>
                <HeadCell>Target</HeadCell>
                <HeadCell>Reason</HeadCell>
              </>
            }
          >
            {entries.map((entry) => (
              <tr key={entry.id} className="align-top">
                <Cell className="whitespace-nowrap">{utcTime(entry.at)}</Cell>
                <Cell>{entry.operator}</Cell>
                <Cell>
                  {operatorActionText(entry.action)}
                  <p className="text-small text-muted [overflow-wrap:anywhere]">
                    <code className="font-mono">{entry.action}</code> {changeOf(entry.before, entry.after)}
                  </p>
                </Cell>
                <Cell>{entry.account_name ?? entry.target}</Cell>
                <Cell className="max-w-[40ch] text-pretty">{entry.reason}</Cell>
              </tr>
            ))}
          </Table>
        )}
        {log.hasNextPage && (
          <div className="px-5 py-3">
            <Button size="small" busy={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
              Show older actions
            </Button>
          </div>
        )}
      </Card>
    </>
  )
}

type Side = Record<string, unknown> | null

/** `role: viewer → owner`, a fact for each field that changed. */
function changeOf(before: Side, after: Side): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const shown = (value: unknown) =>
    value === null || value === undefined ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return names
    .map((name) =>
      before && after && name in before
        ? `${name}: ${shown(before[name])} → ${shown(after[name])}`
        : `${name}: ${shown((after ?? before)?.[name])}`,
    )
    .join(', ')
}
