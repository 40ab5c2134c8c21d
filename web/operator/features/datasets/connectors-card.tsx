import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import type { Connector } from './queries.ts'

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
    <Card
      title="Data sources"
      about="Servers fetch scheduled sources. Implausible data is refused, and the last good version stays."
      flush
    >
      <Table
        label="Data sources"
        head={
          <>
            <HeadCell>Source</HeadCell>
            <HeadCell>Schedule (UTC)</HeadCell>
            <HeadCell>Last run (UTC)</HeadCell>
            <HeadCell align="right">Rows</HeadCell>
            <HeadCell>License</HeadCell>
            {isOwner && <HeadCell align="right">Fetch</HeadCell>}
          </>
        }
      >
        {connectors.map((one) => (
          <tr key={one.name} className="align-top">
            <Cell>
              <span className="font-strong">{one.title}</span>
              <p className="font-mono text-small text-muted">{one.name}</p>
            </Cell>
            <Cell className="whitespace-nowrap">
              {one.scheduled ? <Badge tone="success">{one.crontab}</Badge> : <span className="text-muted">Off</span>}
              {one.contact && <p className="text-small text-muted">{one.contact}</p>}
            </Cell>
            <Cell className="max-w-[36ch]">
              {one.last_run === null ? (
                <span className="text-muted">Never</span>
              ) : (
                <>
                  <Badge tone={tones[one.last_run.outcome]}>{one.last_run.outcome}</Badge>{' '}
                  {utcTime(one.last_run.finished_at)}
                  {one.last_run.reasons.map((reason) => (
                    <p key={reason} className="text-small text-muted">
                      {reason}
                    </p>
                  ))}
                </>
              )}
            </Cell>
            <Cell align="right">{one.last_run ? count(one.last_run.rows) : '–'}</Cell>
            <Cell className="max-w-[28ch] text-small">{one.license}</Cell>
            {isOwner && (
              <Cell align="right">
                {one.has_key ? (
                  <Button
                    size="small"
                    aria-label={one.scheduled ? `Stop fetching ${one.title}` : `Schedule ${one.title}`}
                    onClick={() => setChanging(one)}
                  >
                    {one.scheduled ? 'Stop fetching' : 'Schedule'}
                  </Button>
                ) : (
                  <span className="text-small text-muted">
                    Needs <code className="font-mono">{one.key}</code>
                  </span>
                )}
              </Cell>
            )}
          </tr>
        ))}
      </Table>
      {changing && <ScheduleDialog connector={changing} onClose={() => setChanging(null)} />}
    </Card>
  )
}

function ScheduleDialog({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const act = useAct('POST /connectors/{name}/schedule', { name: connector.name })
  const [contact, setContact] = useState(connector.contact ?? '')
  const on = !connector.scheduled
  return (
    <ActDialog
      title={on ? `Schedule ${connector.title}` : `Stop fetching ${connector.title}`}
      about={
        on
          ? `A server fetches it on the schedule ${connector.crontab} (UTC), checks it and publishes it. License: ${connector.license}.`
          : 'Servers no longer fetch it. The published version stays and becomes stale.'
      }
      submitLabel={on ? 'Schedule' : 'Stop fetching'}
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ on, contact: contact.trim() || null, reason }, { onSuccess: onClose })}
    >
      {on && connector.contact_required && (
        <TextField
          label="Your email address"
          hint="The source requires it. It is sent with each request."
          type="email"
          value={contact}
          onChange={(event) => setContact(event.target.value)}
        />
      )}
    </ActDialog>
  )
}
