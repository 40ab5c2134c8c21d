import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { readPages } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { type Columns, col, figure, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { channelText, stateText } from './text.ts'

type Delivery = Data<'GET /delivery/{channel}'>['deliveries'][number]

interface DeliveryListProps {
  channel: DeliveryChannel
  state: DeliveryState
  footer: ReactNode
  /** The choice of the state. */
  children: ReactNode
}

/** The deliveries of a channel in one state, newest first, with boxes to choose those that are tried again. */
export function DeliveryList({ channel, state, footer, children }: DeliveryListProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [retrying, setRetrying] = useState<readonly string[] | null>(null)
  const list = useInfiniteQuery({
    ...readPages('GET /delivery/{channel}', { params: { channel }, query: { state } }, 'after'),
    refetchInterval: 10_000,
  })
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? []
  const mayRetry = useRole('owner', 'support', 'finance')
  const possible = mayRetry ? deliveries.filter(({ again }) => again !== null).map(({ id }) => id) : []
  const ids = possible.filter((id) => chosen.has(id))
  const all = possible.slice(0, 100)
  const { label, about, of, empty } = channelText[channel]
  const columns: Columns<Delivery> = [
    mayRetry &&
      col('Select', (one) => (
        <input
          type="checkbox"
          className="size-4 accent-accent"
          aria-label={`Select ${one.kind} ${one.id}`}
          disabled={one.again === null}
          checked={chosen.has(one.id)}
          onChange={({ target }) =>
            setChosen(new Set(target.checked ? [...chosen, one.id] : [...chosen].filter((id) => id !== one.id)))
          }
        />
      )),
    time('Time (UTC)', ({ at }) => at),
    col('Kind', ({ kind, id }) => (
      <>
        {kind}
        <p className="font-mono text-small text-muted">{id}</p>
      </>
    )),
    channel !== 'jobs' && col(of, (one) => <span className="break-all">{one.about ?? 'Removed'}</span>),
    channel !== 'jobs' && col('Customer', (one) => one.account_name ?? '–'),
    col('State', 'prose', ({ error, next_attempt_at: next }) => (
      <>
        <Badge tone={stateText[state].tone}>{stateText[state].label}</Badge>
        {error && <p className="mt-1 text-small break-words text-muted">{error}</p>}
        {next && state !== 'done' && <p className="mt-1 text-small text-muted">Next attempt {utcTime(next)} UTC</p>}
      </>
    )),
    figure('Attempts', ({ attempts }) => attempts),
    mayRetry &&
      col('Action', ({ again, kind, id }) => {
        const verb = again === 'resend' ? 'Resend' : 'Retry'
        return (
          again && (
            <Button size="small" aria-label={`${verb} ${kind} ${id}`} onClick={() => setRetrying([id])}>
              {verb}
            </Button>
          )
        )
      }),
  ]
  return (
    <>
      <List
        title={label}
        label={`${label}, ${stateText[state].label.toLowerCase()}`}
        about={about}
        className="mt-3"
        query={list}
        what="deliveries"
        rows={deliveries}
        columns={columns}
        empty={{
          title: state === 'done' ? 'Nothing here yet' : `Nothing is ${stateText[state].label.toLowerCase()}`,
          about: empty,
        }}
        footer={footer}
        filters={
          <div className="flex flex-wrap items-center justify-between gap-2 px-5 pb-3">
            {children}
            {all.length > 0 && (
              <div className="flex gap-2">
                <Button size="small" onClick={() => setChosen(new Set(ids.length > 0 ? [] : all))}>
                  {ids.length > 0 ? 'Clear selection' : `Select ${count(all.length)}`}
                </Button>
                {ids.length > 0 && (
                  <Button size="small" look="primary" onClick={() => setRetrying(ids)}>
                    Retry {count(ids.length)}
                  </Button>
                )}
              </div>
            )}
          </div>
        }
      />
      {retrying && (
        <ActDialog
          line="POST /delivery/{channel}/retry"
          params={{ channel }}
          title="Retry"
          about={`${retrying.length === 1 ? 'One delivery is' : `${count(retrying.length)} deliveries are`} retried now. ${about}`}
          busy="Retrying"
          input={() => ({ ids: [...retrying] })}
          onClose={() => {
            setRetrying(null)
            setChosen(new Set())
          }}
        />
      )}
    </>
  )
}
