import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import type { ShownUpstream } from './queries.ts'
import type { Act } from './state-dialog.tsx'

interface VersionsCardProps {
  shown: ShownUpstream
  isOwner: boolean
  onAct: (act: Act) => void
}

/** Every version that is kept: any of them can be served again. */
export function VersionsCard({ shown: { upstream, versions, shown }, isOwner, onAct }: VersionsCardProps) {
  const hasBefore = upstream.published !== null && versions.some(({ version }) => version < upstream.published!)
  return (
    <Card
      title="Versions"
      about="A version never changes. Calls that are under way when another is served end on the one that they began with."
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
            {isOwner && <HeadCell align="right">Serve</HeadCell>}
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
            <Cell>{version === upstream.published && <Badge tone="success">{upstream.state}</Badge>}</Cell>
            {isOwner && (
              <Cell align="right">
                {version !== upstream.published && (
                  <Button
                    size="small"
                    aria-label={`Serve version ${version}`}
                    onClick={() => onAct({ verb: 'publish', version })}
                  >
                    Serve
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
