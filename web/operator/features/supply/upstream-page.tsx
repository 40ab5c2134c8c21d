import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ChangesCard } from './changes-card.tsx'
import { type ShownUpstream, upstreamQuery, useIsOwner } from './queries.ts'
import { ServersCard } from './servers-card.tsx'
import { type Act, StateDialog } from './state-dialog.tsx'
import { TryDialog } from './try-dialog.tsx'
import { UpstreamState } from './upstream-state.tsx'
import { VersionsCard } from './versions-card.tsx'

/** One upstream: what is served and by which servers, what waits for approval, its operations and versions. */
export function UpstreamPage({ id, version }: { id: string; version: number | undefined }) {
  const query = useQuery(upstreamQuery(id, version))
  const isOwner = useIsOwner()
  const [act, setAct] = useState<Act | null>(null)
  const shown = query.data
  return (
    <>
      <PageHeader
        title={shown?.upstream.name ?? id}
        about={`Customers call it under /v1/${id}/.`}
        action={
          isOwner &&
          shown && (
            <div className="flex flex-wrap gap-2">
              <Link to="/supply/upstreams/$id/edit" params={{ id }} className={buttonClass({ look: 'primary' })}>
                Edit
              </Link>
              {shown.upstream.state === 'published' && <Button onClick={() => setAct({ verb: 'pause' })}>Pause</Button>}
              {shown.upstream.state === 'paused' && <Button onClick={() => setAct({ verb: 'resume' })}>Resume</Button>}
              <Button onClick={() => setAct({ verb: 'remove' })}>Remove</Button>
            </div>
          )
        }
      />
      <QueryState
        query={query}
        loading="Loading the upstream"
        bars={['h-32', 'h-48']}
        failed="The upstream could not be loaded."
      />
      {shown && (
        <>
          <FactsCard shown={shown} />
          {shown.upstream.kind === 'mcp' && shown.upstream.published !== null && (
            <ChangesCard upstream={shown.upstream} isOwner={isOwner} />
          )}
          <OperationsCard id={id} shown={shown} isOwner={isOwner} />
          <ServersCard upstream={shown.upstream} />
          <VersionsCard shown={shown} isOwner={isOwner} onAct={setAct} />
          {act && <StateDialog act={act} upstream={shown.upstream} onClose={() => setAct(null)} />}
        </>
      )}
    </>
  )
}

function FactsCard({ shown: { upstream, shown } }: { shown: ShownUpstream }) {
  const { credential, manifest } = shown
  return (
    <Card title="Published version" aside={<UpstreamState upstream={upstream} />}>
      <dl className="grid gap-x-8 gap-y-2 sm:grid-cols-[auto_1fr] [&>dt]:text-muted">
        <dt>Version</dt>
        <dd>
          {upstream.published === null ? 'None yet' : upstream.published}
          {upstream.newest !== upstream.published && `. Version ${upstream.newest} is saved as a draft.`}
        </dd>
        <dt>Address</dt>
        <dd className="font-mono break-all">{String(manifest.base)}</dd>
        <dt>Credential</dt>
        <dd>
          {credential === null ? 'None' : <code className="font-mono">{credential.name}</code>}
          {credential && (credential.stored ? ', stored here' : ', an environment variable of the servers')}{' '}
          {credential?.missing && <Badge tone="danger">Missing</Badge>}
        </dd>
      </dl>
    </Card>
  )
}

type Operation = ShownUpstream['shown']['operations'][number]

function OperationsCard({
  id,
  shown: { shown, upstream },
  isOwner,
}: {
  id: string
  shown: ShownUpstream
  isOwner: boolean
}) {
  const [trying, setTrying] = useState<Operation | null>(null)
  return (
    <Card
      title={`Operations of version ${shown.version}`}
      about={
        shown.version === upstream.published
          ? 'What customers can call, and what each call costs.'
          : 'Customers do not get this version.'
      }
      flush
    >
      <Table
        label="Operations"
        head={
          <>
            <HeadCell>Tool</HeadCell>
            <HeadCell>Path</HeadCell>
            <HeadCell>Price</HeadCell>
            <HeadCell>MCP</HeadCell>
            <HeadCell>Plans</HeadCell>
            {isOwner && <HeadCell align="right">Try</HeadCell>}
          </>
        }
      >
        {shown.operations.map((one) => (
          <tr key={one.id} className="align-top">
            <Cell className="min-w-[22ch]">
              <code className="font-mono">{one.tool}</code>
              <p className="max-w-[40ch] text-small text-muted">{one.title}</p>
            </Cell>
            <Cell>
              <code className="font-mono">
                {one.method} {one.path}
              </code>
            </Cell>
            <Cell className="max-w-[28ch] min-w-[14ch]">{one.price}</Cell>
            <Cell>{one.over_mcp ? 'Yes' : 'No'}</Cell>
            <Cell>{one.plans.join(', ') || 'All customers'}</Cell>
            {isOwner && (
              <Cell align="right">
                <Button size="small" aria-label={`Try ${one.tool}`} onClick={() => setTrying(one)}>
                  Try
                </Button>
              </Cell>
            )}
          </tr>
        ))}
      </Table>
      {trying && <TryDialog id={id} version={shown.version} operation={trying} onClose={() => setTrying(null)} />}
    </Card>
  )
}
