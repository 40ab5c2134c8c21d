import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { call, type Data, sessionQuery } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import { channelText, stateText } from './text.ts'

type Delivery = Data<'GET /delivery/{channel}'>['deliveries'][number]

/** The deliveries of a channel in one state, newest first, with boxes to choose those that are tried again. */
export function DeliveryTable({ channel, state }: { channel: DeliveryChannel; state: DeliveryState }) {
  const { data: session } = useQuery(sessionQuery)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [retrying, setRetrying] = useState<readonly string[] | null>(null)
  const list = useInfiniteQuery({
    queryKey: ['operator', 'delivery', channel, state],
    queryFn: ({ pageParam, signal }) =>
      call('GET /delivery/{channel}', { params: { channel }, query: { state, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 10_000,
  })
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? []
  const mayRetry = session !== undefined && session.role !== 'viewer'
  const possible = mayRetry ? deliveries.filter(({ again }) => again !== null) : []
  const ids = possible.map(({ id }) => id).filter((id) => chosen.has(id))
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const text = channelText[channel]
  const all = possible.slice(0, 100)
  return (
    <>
      <QueryState
        query={list}
        className="space-y-3 px-5 pb-4"
        loading="Loading deliveries"
        bars={['h-9', 'h-9', 'h-9']}
        failed="The deliveries could not be loaded."
      />
      {list.data && deliveries.length === 0 && (
        <EmptyState
          title={state === 'done' ? 'Nothing here yet' : `Nothing is ${stateText[state].label.toLowerCase()}`}
          about={text.empty}
        />
      )}
      {possible.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 px-5 pb-3">
          <Button size="small" onClick={() => setChosen(new Set(ids.length > 0 ? [] : all.map(({ id }) => id)))}>
            {ids.length > 0 ? 'Clear selection' : `Select ${count(all.length)}`}
          </Button>
          {ids.length > 0 && (
            <Button size="small" look="primary" onClick={() => setRetrying(ids)}>
              Retry {count(ids.length)}
            </Button>
          )}
        </div>
      )}
      {deliveries.length > 0 && (
        <Table
          label={`${text.label}, ${stateText[state].label.toLowerCase()}`}
          head={
            <>
              {mayRetry && (
                <HeadCell>
                  <span className="sr-only">Select</span>
                </HeadCell>
              )}
              <HeadCell>Time (UTC)</HeadCell>
              <HeadCell>Kind</HeadCell>
              {channel !== 'jobs' && <HeadCell>{text.of}</HeadCell>}
              {channel !== 'jobs' && <HeadCell>Customer</HeadCell>}
              <HeadCell>State</HeadCell>
              <HeadCell align="right">Attempts</HeadCell>
              {mayRetry && <HeadCell align="right">Action</HeadCell>}
            </>
          }
        >
          {deliveries.map((one) => (
            <tr key={one.id} className="align-top">
              {mayRetry && (
                <Cell>
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    aria-label={`Select ${one.kind} ${one.id}`}
                    disabled={one.again === null}
                    checked={chosen.has(one.id)}
                    onChange={(event) => choose(one.id, event.target.checked)}
                  />
                </Cell>
              )}
              <Cell className="whitespace-nowrap">{utcTime(one.at)}</Cell>
              <Cell>
                {one.kind}
                <p className="font-mono text-small text-muted">{one.id}</p>
              </Cell>
              {channel !== 'jobs' && <Cell className="break-all">{one.about ?? 'Removed'}</Cell>}
              {channel !== 'jobs' && <Cell>{one.account_name ?? '–'}</Cell>}
              <Cell className="min-w-60 max-w-[44ch]">
                <Badge tone={stateText[state].tone}>{stateText[state].label}</Badge>
                {one.error && <p className="mt-1 text-small break-words text-muted">{one.error}</p>}
                {one.next_attempt_at && state !== 'done' && (
                  <p className="mt-1 text-small text-muted">Next attempt {utcTime(one.next_attempt_at)} UTC</p>
                )}
              </Cell>
              <Cell align="right">{count(one.attempts)}</Cell>
              {mayRetry && (
                <Cell align="right">
                  {one.again && (
                    <Button
                      size="small"
                      aria-label={`${labelOf(one)} ${one.kind} ${one.id}`}
                      onClick={() => setRetrying([one.id])}
                    >
                      {labelOf(one)}
                    </Button>
                  )}
                </Cell>
              )}
            </tr>
          ))}
        </Table>
      )}
      {list.hasNextPage && (
        <div className="px-5 py-3">
          <Button size="small" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show older deliveries
          </Button>
        </div>
      )}
      {retrying && (
        <RetryDialog
          channel={channel}
          ids={retrying}
          onClose={() => {
            setRetrying(null)
            setChosen(new Set())
          }}
        />
      )}
    </>
  )
}

const labelOf = ({ again }: Delivery): string => (again === 'resend' ? 'Resend' : 'Retry')

function RetryDialog({
  channel,
  ids,
  onClose,
}: {
  channel: DeliveryChannel
  ids: readonly string[]
  onClose: () => void
}) {
  const act = useAct('POST /delivery/{channel}/retry', { channel })
  const what = ids.length === 1 ? 'One delivery is' : `${count(ids.length)} deliveries are`
  return (
    <ActDialog
      title="Retry"
      about={`${what} retried now. ${channelText[channel].about}`}
      submitLabel="Retry"
      busyLabel="Retrying"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ ids: [...ids], reason }, { onSuccess: onClose })}
    />
  )
}
