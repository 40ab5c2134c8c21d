import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useText } from '../../lib/use-text.ts'
import { type Columns, col, figure, shownOr, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

type Connector = Data<'GET /datasets'>['connectors'][number]

const tones = {
  published: 'success',
  unchanged: 'success',
  refused: 'danger',
  failed: 'danger',
  stopped: 'warning',
} as const

/** Sources of current data: their terms, whether servers fetch them, and how the last run went. */
export function ConnectorsCard({ connectors, isOwner }: { connectors: Connector[]; isOwner: boolean }) {
  const [changing, setChanging] = useState<Connector | null>(null)
  return (
    <>
      <List
        title="Data sources"
        about="Servers fetch scheduled sources. Implausible data is refused, and the last good version stays."
        rows={connectors}
        keyOf={({ name }) => name}
        columns={columnsOf(isOwner, setChanging)}
        empty={{ about: 'This installation has no data sources.' }}
      />
      {changing && <ScheduleDialog connector={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

const columnsOf = (isOwner: boolean, onChange: (connector: Connector) => void): Columns<Connector> => [
  col('Source', ({ title, name }) => (
    <Two main={<span className="font-strong">{title}</span>} below={<code className="font-mono">{name}</code>} />
  )),
  col('Schedule (UTC)', 'line', ({ scheduled, crontab, contact }) => (
    <Two main={shownOr(scheduled ? <Badge tone="success">{crontab}</Badge> : null, 'Off')} below={contact} />
  )),
  col('Last run (UTC)', 'prose', ({ last_run: run }) =>
    run === null ? (
      shownOr(null, 'Never')
    ) : (
      <>
        <Badge tone={tones[run.outcome]}>{run.outcome}</Badge> {utcTime(run.finished_at)}
        <Reasons reasons={run.reasons.slice(0, 2)} />
        {run.reasons.length > 2 && (
          <details className="text-small">
            <summary className="cursor-pointer text-muted">{count(run.reasons.length - 2)} more</summary>
            <Reasons reasons={run.reasons.slice(2)} />
          </details>
        )}
      </>
    ),
  ),
  figure('Rows', ({ last_run }) => last_run?.rows ?? 0, { cell: ({ last_run: run }) => (run ? count(run.rows) : '–') }),
  col('License', ({ license }) => <span className="block max-w-[28ch] text-small">{license}</span>),
  isOwner &&
    col('Fetch', (one) =>
      one.has_key ? (
        <Button
          size="small"
          aria-label={one.scheduled ? `Stop fetching ${one.title}` : `Schedule ${one.title}`}
          onClick={() => onChange(one)}
        >
          {one.scheduled ? 'Stop fetching' : 'Schedule'}
        </Button>
      ) : (
        <span className="text-small text-muted">
          Needs <code className="font-mono">{one.key}</code>
        </span>
      ),
    ),
]

const Reasons = ({ reasons }: { reasons: readonly string[] }) =>
  reasons.map((reason) => (
    <p key={reason} className="text-small text-muted">
      {reason}
    </p>
  ))

function ScheduleDialog({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const contact = useText(connector.contact ?? '')
  const on = !connector.scheduled
  return (
    <ActDialog
      line="POST /connectors/{name}/schedule"
      params={{ name: connector.name }}
      title={on ? `Schedule ${connector.title}` : `Stop fetching ${connector.title}`}
      about={
        on
          ? `A server fetches it on the schedule ${connector.crontab} (UTC), checks it and publishes it. License: ${connector.license}.`
          : 'Servers no longer fetch it. The published version stays and becomes stale.'
      }
      submit={on ? 'Schedule' : 'Stop fetching'}
      input={() => ({ on, contact: contact.value.trim() || null })}
      onClose={onClose}
    >
      {on && connector.contact_required && (
        <TextField
          label="Your email address"
          hint="The source requires it. It is sent with each request."
          type="email"
          {...contact.field}
        />
      )}
    </ActDialog>
  )
}
