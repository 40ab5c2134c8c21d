import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatAgo } from '../../../lib/format.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { Lines } from '../../ui/lines.tsx'
import { List } from '../../ui/list.tsx'

type Finding = Data<'GET /attention'>['findings'][number]

/** What needs attention, those that nobody has acknowledged first. */
export function Attention() {
  const attention = useRead('GET /attention', {}, { everyMs: 15_000 })
  const [taken, setTaken] = useState<Finding | null>(null)
  const mayTake = useRole('owner', 'support', 'finance')
  const findings = attention.data?.findings ?? []
  const open = findings.filter(({ acknowledged }) => acknowledged === null).length
  return (
    <>
      <List
        title="Needs attention"
        about="Owners get an email about each new finding. An acknowledged finding comes back when it changes."
        aside={
          attention.data && (
            <Badge tone={open > 0 ? 'danger' : 'success'}>{open > 0 ? `${count(open)} open` : 'All clear'}</Badge>
          )
        }
        query={attention}
        what="findings"
        rows={findings}
        empty={{
          title: 'Nothing needs attention',
          about: 'Failed payments, stuck deliveries, stale data, paused upstreams and failed checks appear here.',
        }}
      >
        {(rows) => (
          <Lines
            lines={rows.map((finding) => {
              const { key, title, acknowledged } = finding
              return {
                key,
                title,
                quiet: acknowledged !== null,
                body: <Body finding={finding} />,
                action: (
                  <>
                    <Way finding={finding} />
                    {mayTake && !acknowledged && (
                      <Button
                        size="small"
                        look="quiet"
                        aria-label={`Acknowledge: ${title}`}
                        onClick={() => setTaken(finding)}
                      >
                        Acknowledge
                      </Button>
                    )}
                  </>
                ),
              }
            })}
          />
        )}
      </List>
      {taken && (
        <ActDialog
          line="POST /attention/acknowledge"
          title="Acknowledge a finding"
          about={`${taken.title}. It moves to the end of the list for all operators until it changes.`}
          submit="Acknowledge"
          input={() => ({ key: taken.key })}
          onClose={() => setTaken(null)}
        />
      )}
    </>
  )
}

const Body = ({ finding: { detail, todo, since, acknowledged } }: { finding: Finding }) => (
  <>
    <p className="text-small break-words text-muted">{detail}</p>
    <p className="text-small text-pretty">{todo}</p>
    <p className="text-small text-muted">
      <time dateTime={since} title={`${utcTime(since)} UTC`}>
        Since {utcTime(since)} UTC, {formatAgo(since, new Date())}
      </time>
      {acknowledged && `. Acknowledged by ${acknowledged.by}, ${utcTime(acknowledged.at)} UTC`}
    </p>
  </>
)

/** Where the finding is mended. */
function Way({ finding: { link } }: { finding: Finding }) {
  if (!link) return null
  const [path, search] = link.to.split('?')
  return (
    <Link
      to={path as '/'}
      search={Object.fromEntries(new URLSearchParams(search)) as never}
      className={buttonClass({ size: 'small' })}
    >
      {link.label}
    </Link>
  )
}
