import { type ReactNode, useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { useText } from '../../lib/use-text.ts'
import { Lines } from '../../ui/lines.tsx'
import { Loaded } from '../../ui/loaded.tsx'

type State = Data<'GET /switches'>
type Open = { kind: 'sales' | 'upstream'; id: string; stopped: boolean } | { kind: 'banner' | 'no banner' } | null

/** What an owner can stop or announce on a bad day. Each server follows within two seconds. */
export function Switches() {
  const switches = useRead('GET /switches', {}, { everyMs: 10_000 })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const isOwner = useRole('owner')
  const button = (label: string, next: Open, name = label) =>
    isOwner && (
      <Button
        look={next && 'stopped' in next && next.stopped ? 'danger' : 'secondary'}
        size="small"
        aria-label={name}
        onClick={() => setOpen(next)}
      >
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
        flush={switches.data !== undefined}
      >
        <Loaded query={switches} what="switches" bars={['h-12', 'h-12']}>
          {({ sales, banner, upstreams }) => (
            <Lines
              lines={[
                lineOf(
                  'Sales',
                  'Stops checkout, top-ups and automatic top-ups. Subscriptions and their credits continue.',
                  sales,
                  ['Stopped', 'On'],
                  button(sales ? 'Resume sales' : 'Stop sales', { kind: 'sales', id: '', stopped: !sales }),
                ),
                lineOf(
                  'Banner',
                  banner
                    ? `“${banner.text}”, until ${utcTime(banner.until)} UTC.`
                    : 'A message above every page that customers and visitors see, until a time that you choose.',
                  banner,
                  [banner?.over ? 'Expired' : 'Shown', 'None'],
                  <>
                    {button(banner ? 'Change banner' : 'Show a banner', { kind: 'banner' })}
                    {banner && button('Remove banner', { kind: 'no banner' })}
                  </>,
                ),
                ...upstreams.map(({ id, paused }) =>
                  lineOf(
                    `Upstream ${id}`,
                    'Takes its tools away: calls to them return 404, and nothing is charged.',
                    paused,
                    ['Paused', 'Running'],
                    button(
                      paused ? 'Resume' : 'Pause',
                      { kind: 'upstream', id, stopped: !paused },
                      `${paused ? 'Resume' : 'Pause'} upstream ${id}`,
                    ),
                  ),
                ),
              ]}
            />
          )}
        </Loaded>
      </Card>
      {open?.kind === 'sales' && (
        <ActDialog
          line="POST /switches/sales"
          danger={open.stopped}
          title={open.stopped ? 'Stop sales' : 'Resume sales'}
          about={
            open.stopped
              ? 'Customers cannot buy plans or credits, and automatic top-ups wait. Payment pages that are already open can still be paid.'
              : 'Customers can buy plans and credits again, and automatic top-ups continue.'
          }
          input={() => ({ stopped: open.stopped })}
          onClose={close}
        />
      )}
      {open?.kind === 'upstream' && (
        <ActDialog
          line={open.stopped ? 'POST /upstreams/{id}/pause' : 'POST /upstreams/{id}/resume'}
          params={{ id: open.id }}
          danger={open.stopped}
          title={`${open.stopped ? 'Pause' : 'Resume'} upstream ${open.id}`}
          about={
            open.stopped
              ? 'Its tools disappear, so calls to them return 404 and nothing is charged. Its versions stay.'
              : 'Its tools return, and calls to them are charged again.'
          }
          submit={open.stopped ? 'Pause' : 'Resume'}
          onClose={close}
        />
      )}
      {open?.kind === 'banner' && <BannerDialog given={switches.data?.banner?.text ?? ''} onClose={close} />}
      {open?.kind === 'no banner' && (
        <ActDialog
          line="POST /switches/banner"
          title="Remove banner"
          about="It disappears from the next page that each person opens."
          submit="Remove"
          busy="Removing"
          input={() => ({ banner: null })}
          onClose={close}
        />
      )}
    </>
  )
}

const lineOf = (
  title: string,
  about: string,
  set: State['sales'] | boolean,
  [on, off]: readonly [string, string],
  action: ReactNode,
) => ({
  key: title,
  title: (
    <>
      {title} <Badge tone={set ? 'danger' : 'neutral'}>{set ? on : off}</Badge>
    </>
  ),
  body: (
    <>
      <p className="break-words text-muted">{about}</p>
      {typeof set === 'object' && set && (
        <p className="text-small break-words text-muted">
          {set.set_by}, {utcTime(set.set_at)} UTC: {set.reason}
        </p>
      )}
    </>
  ),
  action,
})

function BannerDialog({ given, onClose }: { given: string; onClose: () => void }) {
  const text = useText(given)
  const until = useText(new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 16))
  return (
    <ActDialog
      line="POST /switches/banner"
      title="Show a banner"
      about="Customers and visitors see it above every page, from the next page that they open."
      submit="Show banner"
      input={() => ({ banner: { text: text.value.trim(), until: `${until.value}:00Z` } })}
      onClose={onClose}
    >
      <TextField
        label="Text"
        hint={`Plain text. ${200 - text.value.length} characters left.`}
        maxLength={200}
        {...text.field}
      />
      <TextField label="Until (UTC)" type="datetime-local" {...until.field} />
    </ActDialog>
  )
}
