import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import type { ReceiptsFilter } from '#contract/usage.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Download } from '../../ui/icons/public.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { CallTable } from './call-table.tsx'
import { callsCsvLink, callsQuery } from './queries.ts'
import { usageText as text } from './text.ts'

const CallFilters = lazy(() => import('./call-filters.tsx'))

const summaryRows = 5

interface CallsCardProps {
  /** Only calls with this key. */
  keyId?: string
  /** Only the latest few at first, without filters. */
  summary?: boolean
  /** The keys to filter by, once loaded. */
  keys?: Pick<ApiKey, 'id' | 'name'>[] | undefined
}

/**
 * The answered calls of the workspace or of one key, newest first, with filters and CSV download. When a new call
 * arrives, everything that counts calls is refetched.
 */
export default function CallsCard({ keyId, keys, summary = false }: CallsCardProps) {
  const [open, setOpen] = useState(!summary)
  const [chosen, setChosen] = useState<ReceiptsFilter>({})
  const filter = keyId ? { ...chosen, keyId } : chosen
  const query = useInfiniteQuery(callsQuery(filter))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const calls = data?.pages.flatMap(({ receipts }) => receipts)
  const filtered = Object.keys(chosen).length > 0
  useRefreshCounters(filtered ? undefined : calls?.[0]?.id)
  const nothing = calls?.length === 0 && !filtered && !hasNextPage
  return (
    <Card
      title={text.calls}
      about={text.callsAbout}
      aside={
        nothing ? null : (
          <span className="flex flex-wrap gap-x-1 max-sm:-ml-3 sm:-mr-2.5">
            {summary && (
              <Button
                look="quiet"
                size="small"
                onClick={() => {
                  setOpen(!open)
                  setChosen({})
                }}
              >
                {open ? text.fewer : text.all}
              </Button>
            )}
            <DownloadAll filter={filter} />
          </span>
        )
      }
      flush
    >
      {!nothing && open && (
        <Suspense fallback={<div className="h-22 border-t border-line" />}>
          <CallFilters value={chosen} onChange={setChosen} keys={keys} ofOneKey={Boolean(keyId)} />
        </Suspense>
      )}
      <QueryState query={query} failed={text.callsFailed}>
        <TableSkeleton stacked rows={5} label={text.callsLoading} />
      </QueryState>
      {nothing && (
        <EmptyState
          title={text.noCalls}
          about={keyId ? text.noCallsOfKey : text.noCallsAbout}
          action={
            <Link to="/dashboard/playground" className={buttonClass({ size: 'small' })}>
              {text.openPlayground}
            </Link>
          }
        />
      )}
      {calls?.length === 0 && !nothing && (
        <EmptyState
          title={text.noMatch}
          about={hasNextPage ? text.noMatchYet : keyId ? text.noMatchOfKey : text.noMatchAbout}
          action={
            <Button size="small" onClick={() => setChosen({})}>
              {text.showAll}
            </Button>
          }
        />
      )}
      {calls && calls.length > 0 && (
        <CallTable calls={open ? calls : calls.slice(0, summaryRows)} ofOneKey={Boolean(keyId)} />
      )}
      {hasNextPage && open && (
        <div className="border-t border-line px-5 py-3 text-center">
          <Button size="small" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {text.older}
          </Button>
        </div>
      )}
    </Card>
  )
}

/** Downloads all matching calls, not only those shown: the browser streams them to disk. */
function DownloadAll({ filter }: { filter: ReceiptsFilter }) {
  const [busy, setBusy] = useState(false)
  const download = () => {
    setBusy(true)
    callsCsvLink(filter)
      .then((url) => {
        window.location.assign(url)
      })
      .catch((error: Error) => toast({ title: text.csvFailed, description: error.message, tone: 'danger' }))
      .finally(() => setBusy(false))
  }
  return (
    <Button look="quiet" size="small" busy={busy} onClick={download}>
      <Download aria-hidden="true" className="size-4" />
      {text.csv}
    </Button>
  )
}

function useRefreshCounters(newestId: string | undefined) {
  const client = useQueryClient()
  const seen = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (newestId === undefined || newestId === seen.current) return
    for (const queryKey of [['usage'], ['billing', 'credits'], ['keys']]) void client.invalidateQueries({ queryKey })
    seen.current = newestId
  }, [client, newestId])
}
