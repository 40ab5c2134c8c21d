import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { call, type Data, sessionQuery } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'

type State = Data<'GET /switches'>
type Open = { kind: 'sales' | 'banner' | 'no banner' } | { kind: 'upstream'; id: string } | null

/** What an owner can stop or announce on a bad day. Each server follows within two seconds. */
export function Switches() {
  const { data: session } = useQuery(sessionQuery)
  const switches = useQuery({
    queryKey: ['operator', 'switches'],
    queryFn: ({ signal }) => call('GET /switches', { signal }),
    refetchInterval: 10_000,
  })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const isOwner = session?.role === 'owner'
  const state = switches.data
  const button = (label: string, next: Open, look: 'danger' | 'secondary', name = label) =>
    isOwner && (
      <Button look={look} size="small" aria-label={name} onClick={() => setOpen(next)}>
        {label}
      </Button>
    )
  return (
    <>
      <Card
        title="Emergency switches"
        about={
          isOwner
            ? 'Changes take effect on all servers within two seconds.'
            : 'Only owners can change them. Changes take effect on all servers within two seconds.'
        }
        flush={state !== undefined}
      >
        <QueryState
          query={switches}
          loading="Loading the switches"
          bars={['h-12', 'h-12']}
          failed="The switches could not be loaded."
        />
        {state && (
          <ul className="divide-y divide-line border-t border-line">
            <Line
              title="Sales"
              about="Stops checkout, top-ups and automatic top-ups. Subscriptions and their credits continue."
              set={state.sales}
              on="Stopped"
              off="On"
              action={
                state.sales
                  ? button('Resume sales', { kind: 'sales' }, 'secondary')
                  : button('Stop sales', { kind: 'sales' }, 'danger')
              }
            />
            <Line
              title="Banner"
              about={
                state.banner
                  ? `“${state.banner.text}”, until ${utcTime(state.banner.until)} UTC.`
                  : 'A message above every page that customers and visitors see, until a time that you choose.'
              }
              set={state.banner}
              on={state.banner?.over ? 'Expired' : 'Shown'}
              off="None"
              action={
                <>
                  {button(state.banner ? 'Change banner' : 'Show a banner', { kind: 'banner' }, 'secondary')}
                  {state.banner && button('Remove banner', { kind: 'no banner' }, 'secondary')}
                </>
              }
            />
            {state.upstreams.map(({ id, paused }) => (
              <Line
                key={id}
                title={`Upstream ${id}`}
                about="Takes its tools away: calls to them return 404, and nothing is charged."
                isOn={paused}
                on="Paused"
                off="Running"
                action={
                  paused
                    ? button('Resume', { kind: 'upstream', id }, 'secondary', `Resume upstream ${id}`)
                    : button('Pause', { kind: 'upstream', id }, 'danger', `Pause upstream ${id}`)
                }
              />
            ))}
          </ul>
        )}
      </Card>
      {open?.kind === 'sales' && state && <SalesDialog stopped={state.sales === null} onClose={close} />}
      {open?.kind === 'upstream' && state && (
        <UpstreamDialog
          id={open.id}
          stopped={!state.upstreams.find(({ id }) => id === open.id)?.paused}
          onClose={close}
        />
      )}
      {open?.kind === 'banner' && <BannerDialog given={state?.banner?.text ?? ''} onClose={close} />}
      {open?.kind === 'no banner' && <RemoveBannerDialog onClose={close} />}
    </>
  )
}

interface LineProps {
  title: string
  about: string
  set?: State['sales']
  isOn?: boolean
  on: string
  off: string
  action: ReactNode
}

function Line({ title, about, set, isOn = set != null, on, off, action }: LineProps) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-80">
        <p className="flex flex-wrap items-center gap-2 font-strong">
          {title} <Badge tone={isOn ? 'danger' : 'neutral'}>{isOn ? on : off}</Badge>
        </p>
        <p className="break-words text-muted">{about}</p>
        {set && (
          <p className="text-small break-words text-muted">
            {set.set_by}, {utcTime(set.set_at)} UTC: {set.reason}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">{action}</div>
    </li>
  )
}

interface SwitchDialogProps {
  stopped: boolean
  onClose: () => void
}

function SalesDialog({ stopped, onClose }: SwitchDialogProps) {
  const act = useAct('POST /switches/sales')
  return (
    <ActDialog
      danger={stopped}
      title={stopped ? 'Stop sales' : 'Resume sales'}
      about={
        stopped
          ? 'Customers cannot buy plans or credits, and automatic top-ups wait. Payment pages that are already open can still be paid.'
          : 'Customers can buy plans and credits again, and automatic top-ups continue.'
      }
      submitLabel={stopped ? 'Stop sales' : 'Resume sales'}
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ stopped, reason }, { onSuccess: onClose })}
    />
  )
}

function UpstreamDialog({ id, stopped, onClose }: SwitchDialogProps & { id: string }) {
  const act = useAct(stopped ? 'POST /upstreams/{id}/pause' : 'POST /upstreams/{id}/resume', { id })
  return (
    <ActDialog
      danger={stopped}
      title={stopped ? `Pause upstream ${id}` : `Resume upstream ${id}`}
      about={
        stopped
          ? 'Its tools disappear, so calls to them return 404 and nothing is charged. Its versions stay.'
          : 'Its tools return, and calls to them are charged again.'
      }
      submitLabel={stopped ? 'Pause' : 'Resume'}
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}

function BannerDialog({ given, onClose }: { given: string; onClose: () => void }) {
  const act = useAct('POST /switches/banner')
  const [text, setText] = useState(given)
  const [until, setUntil] = useState(() => new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 16))
  return (
    <ActDialog
      title="Show a banner"
      about="Customers and visitors see it above every page, from the next page that they open."
      submitLabel="Show banner"
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) =>
        act.mutate({ banner: { text: text.trim(), until: `${until}:00Z` }, reason }, { onSuccess: onClose })
      }
    >
      <TextField
        label="Text"
        hint={`Plain text. ${200 - text.length} characters left.`}
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
      />
      <TextField
        label="Until (UTC)"
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.target.value)}
      />
    </ActDialog>
  )
}

function RemoveBannerDialog({ onClose }: { onClose: () => void }) {
  const act = useAct('POST /switches/banner')
  return (
    <ActDialog
      title="Remove banner"
      about="It disappears from the next page that each person opens."
      submitLabel="Remove"
      busyLabel="Removing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ banner: null, reason }, { onSuccess: onClose })}
    />
  )
}
