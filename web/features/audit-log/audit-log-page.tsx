import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditArea } from '#contract/account-data.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { controlClass } from '../../ui/form/control-class.ts'
import { SelectField } from '../../ui/form/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { SettingsTabs } from '../settings/settings-tabs.tsx'
import { EntriesTable } from './entries-table.tsx'
import { hasWords } from './entry-text.ts'
import { auditQuery } from './queries.ts'
import { auditText as text } from './text.ts'

/** The workspace's audit log, newest first. */
export function AuditLogPage() {
  const [area, setArea] = useState<AuditArea | ''>('')
  const query = useInfiniteQuery(auditQuery(area))
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const [typed, setTyped] = useState('')
  const loaded = data?.pages.flatMap((page) => page.entries)
  const entries = loaded?.filter((entry) => hasWords(entry, typed))
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
            <div className="flex gap-2">
              <div className="w-37 sm:w-48">
                <input
                  type="search"
                  aria-label={text.search}
                  placeholder={text.searchHint}
                  className={controlClass}
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                />
              </div>
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
            </div>
          )
        }
      >
        {forbidden && <p className="px-5 py-6 text-center text-muted">{text.membersOnly}</p>}
        {!forbidden && (
          <QueryState query={query} failed={text.failed}>
            <TableSkeleton label={text.loading} rows={6} />
          </QueryState>
        )}
        {entries?.length === 0 && (
          <EmptyState
            title={loaded?.length ? text.noneFound : text.none}
            about={loaded?.length ? text.noneFoundAbout : text.noneAbout}
            action={
              (area || typed) && (
                <Button
                  size="small"
                  onClick={() => {
                    setArea('')
                    setTyped('')
                  }}
                >
                  {text.showAll}
                </Button>
              )
            }
          />
        )}
        {entries && entries.length > 0 && <EntriesTable entries={entries} />}
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
