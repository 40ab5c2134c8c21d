import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditArea, AuditEntry } from '#contract/account-data.ts'
import { formatMoment } from '../../lib/format.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { SettingsTabs } from '../settings/settings-tabs.tsx'
import { collapse } from './collapse.ts'
import { actorText, detailText } from './entry-text.ts'
import { auditQuery } from './queries.ts'
import { actionText, auditText as text } from './text.ts'

/** The workspace's audit log, newest first. */
export function AuditLogPage() {
  const [area, setArea] = useState<AuditArea | ''>('')
  const query = useInfiniteQuery(auditQuery(area))
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const entries = data?.pages.flatMap((page) => page.entries)
  const forbidden = error instanceof ApiError && error.status === 403
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/settings/audit-log']} />
      <SettingsTabs />
      <Card
        title={text.entries}
        flush
        aside={
          !forbidden && (
            <SelectField
              label={text.area}
              hideLabel
              className="w-32"
              value={area}
              onChange={(event) => setArea(event.target.value as AuditArea | '')}
            >
              {text.areas.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
          )
        }
      >
        {forbidden && <p className="px-5 py-6 text-center text-muted">{text.membersOnly}</p>}
        {!forbidden && (
          <QueryState query={query} failed={text.failed}>
            <TableSkeleton label={text.loading} rows={6} />
          </QueryState>
        )}
        {entries?.length === 0 && <EmptyState title={text.none} about={text.noneAbout} />}
        {entries && entries.length > 0 && <Entries entries={entries} />}
        {hasNextPage && (
          <div className="border-t border-line px-5 py-3 text-center">
            <Button size="small" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
              {text.more}
            </Button>
          </div>
        )}
      </Card>
    </>
  )
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <Table
      label={pageHeadings['/dashboard/settings/audit-log'].title}
      head={
        <>
          <HeadCell>What</HeadCell>
          <HeadCell>Details</HeadCell>
          <HeadCell className="max-sm:hidden">Who</HeadCell>
          <HeadCell className="max-sm:hidden">Time</HeadCell>
        </>
      }
    >
      {collapse(entries).map(({ entry, count }) => (
        <tr key={entry.id}>
          <Cell className="align-top sm:whitespace-nowrap">
            <span className="font-strong">{actionText(entry.action, entry.target)}</span>
            {count > 1 && <span className="text-muted"> · {text.times(count)}</span>}
            {/* A phone has room for two columns: actor and time are below the action. */}
            <span className="block text-small break-words text-muted sm:hidden">
              <bdi>{actorText(entry.actor)}</bdi> · {formatMoment(entry.time)}
            </span>
          </Cell>
          <Cell className="max-w-96 align-top text-muted [overflow-wrap:anywhere] sm:min-w-48">
            <bdi>{detailText(entry)}</bdi>
          </Cell>
          <Cell className="max-w-56 truncate align-top max-sm:hidden" title={entry.actor.name}>
            <bdi>{actorText(entry.actor)}</bdi>
          </Cell>
          <Cell className="align-top whitespace-nowrap text-muted max-sm:hidden">{formatMoment(entry.time)}</Cell>
        </tr>
      ))}
    </Table>
  )
}
