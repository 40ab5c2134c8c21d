import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatAgo } from '../../../lib/format.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { call, type Data, sessionQuery } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'

type Finding = Data<'GET /attention'>['findings'][number]

/** What needs attention, those that nobody has acknowledged first. */
export function Attention() {
  const { data: session } = useQuery(sessionQuery)
  const attention = useQuery({
    queryKey: ['operator', 'attention'],
    queryFn: ({ signal }) => call('GET /attention', { signal }),
    refetchInterval: 15_000,
  })
  const [taken, setTaken] = useState<Finding | null>(null)
  const findings = attention.data?.findings ?? []
  const open = findings.filter(({ acknowledged }) => acknowledged === null).length
  return (
    <Card
      title="Needs attention"
      about="Owners get an email about each new finding. An acknowledged finding comes back when it changes."
      aside={
        attention.data && (
          <Badge tone={open > 0 ? 'danger' : 'success'}>{open > 0 ? `${count(open)} open` : 'All clear'}</Badge>
        )
      }
      flush={findings.length > 0}
    >
      <QueryState
        query={attention}
        loading="Loading what needs attention"
        bars={['h-12', 'h-12']}
        failed="What needs attention could not be loaded."
      />
      {attention.data && findings.length === 0 && (
        <EmptyState
          title="Nothing needs attention"
          about="Failed payments, stuck deliveries, stale data, paused upstreams and failed checks appear here."
        />
      )}
      <ul className="divide-y divide-line border-line not-empty:border-t">
        {findings.map((finding) => (
          <Row
            key={finding.key}
            finding={finding}
            onTake={session && session.role !== 'viewer' ? () => setTaken(finding) : undefined}
          />
        ))}
      </ul>
      {taken && <TakeDialog finding={taken} onClose={() => setTaken(null)} />}
    </Card>
  )
}

function Row({ finding, onTake }: { finding: Finding; onTake: (() => void) | undefined }) {
  const { title, detail, todo, since, link, acknowledged } = finding
  const [path, search] = link?.to.split('?') ?? []
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-80">
        <p className={acknowledged ? 'text-muted' : 'font-strong'}>{title}</p>
        <p className="text-small break-words text-muted">{detail}</p>
        <p className="text-small text-pretty">{todo}</p>
        <p className="text-small text-muted">
          <time dateTime={since} title={`${utcTime(since)} UTC`}>
            Since {utcTime(since)} UTC, {formatAgo(since, new Date())}
          </time>
          {acknowledged && `. Acknowledged by ${acknowledged.by}, ${utcTime(acknowledged.at)} UTC`}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {link && (
          <Link
            to={path as '/'}
            search={Object.fromEntries(new URLSearchParams(search)) as never}
            className={buttonClass({ size: 'small' })}
          >
            {link.label}
          </Link>
        )}
        {onTake && !acknowledged && (
          <Button size="small" look="quiet" aria-label={`Acknowledge: ${title}`} onClick={onTake}>
            Acknowledge
          </Button>
        )}
      </div>
    </li>
  )
}

function TakeDialog({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const act = useAct('POST /attention/acknowledge')
  return (
    <ActDialog
      title="Acknowledge a finding"
      about={`${finding.title}. It moves to the end of the list for all operators until it changes.`}
      submitLabel="Acknowledge"
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ key: finding.key, reason }, { onSuccess: onClose })}
    />
  )
}
