import { Link } from '@tanstack/react-router'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import type { ShownUpstream } from './queries.ts'
import type { Act } from './state-dialog.tsx'
import { UpstreamState } from './upstream-state.tsx'

interface VersionsCardProps {
  shown: ShownUpstream
  isOwner: boolean
  onAct: (act: Act) => void
}

/** Every version that is kept: any of them can be published again. */
export function VersionsCard({ shown: { upstream, versions, shown }, isOwner, onAct }: VersionsCardProps) {
  const hasBefore = upstream.published !== null && versions.some(({ version }) => version < upstream.published!)
  return (
    <Card
      title="Versions"
      about="A version never changes. When you publish another, calls in progress finish on the version that they started with."
      aside={
        isOwner &&
        hasBefore && (
          <Button size="small" onClick={() => onAct({ verb: 'undo' })}>
            Undo
          </Button>
        )
      }
      flush
    >
      <Table
        label="Versions"
        head={
          <>
            <HeadCell>Version</HeadCell>
            <HeadCell>Stored (UTC)</HeadCell>
            <HeadCell align="right">Operations</HeadCell>
            <HeadCell>State</HeadCell>
            {isOwner && <HeadCell align="right">Publish</HeadCell>}
          </>
        }
      >
        {versions.map(({ version, created_at, operations }) => (
          <tr key={version}>
            <Cell>
              {version === shown.version ? (
                version
              ) : (
                <Link
                  to="/supply/upstreams/$id"
                  params={{ id: upstream.id }}
                  search={{ version }}
                  className="underline underline-offset-4"
                >
                  {version}
                </Link>
              )}
            </Cell>
            <Cell className="whitespace-nowrap">{utcTime(created_at)}</Cell>
            <Cell align="right">{count(operations)}</Cell>
            <Cell>{version === upstream.published && <UpstreamState upstream={upstream} />}</Cell>
            {isOwner && (
              <Cell align="right">
                {version !== upstream.published && (
                  <Button
                    size="small"
                    aria-label={`Publish version ${version}`}
                    onClick={() => onAct({ verb: 'publish', version })}
                  >
                    Publish
                  </Button>
                )}
              </Cell>
            )}
          </tr>
        ))}
      </Table>
    </Card>
  )
}
