import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { useRole } from '../../lib/use-role.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, figure, Two, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ChangesCard } from './changes-card.tsx'
import { type ShownUpstream, upstreamQuery } from './queries.ts'
import { ServersCard } from './servers-card.tsx'
import { type Act, StateDialog } from './state-dialog.tsx'
import { TryDialog } from './try-dialog.tsx'
import { actsOf, UpstreamState } from './upstream-state.tsx'

/** One upstream: what is served and by which servers, what waits for approval, its operations and versions. */
export function UpstreamPage() {
  const id = useRouteId()
  const { version }: { version?: number } = useSearch({ strict: false })
  const query = useQuery(upstreamQuery(id, version))
  const isOwner = useRole('owner')
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
              {actsOf(shown.upstream).map(({ verb, label }) => (
                <Button key={verb} onClick={() => setAct({ verb })}>
                  {label}
                </Button>
              ))}
            </div>
          )
        }
      />
      <Loaded query={query} what="upstream" bars={['h-32', 'h-48']}>
        {(found) => (
          <>
            <FactsCard shown={found} />
            {found.upstream.kind === 'mcp' && found.upstream.published !== null && (
              <ChangesCard upstream={found.upstream} isOwner={isOwner} />
            )}
            <OperationsCard id={id} shown={found} isOwner={isOwner} />
            <ServersCard upstream={found.upstream} />
            <VersionsCard shown={found} isOwner={isOwner} onAct={setAct} />
            {act && <StateDialog act={act} upstream={found.upstream} onClose={() => setAct(null)} />}
          </>
        )}
      </Loaded>
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

interface PartProps {
  shown: ShownUpstream
  isOwner: boolean
}

function OperationsCard({ id, shown: { shown, upstream }, isOwner }: PartProps & { id: string }) {
  const [trying, setTrying] = useState<Operation | null>(null)
  const columns: Columns<Operation> = [
    col('Tool', 'name', ({ tool, title }) => <Two main={<code className="font-mono">{tool}</code>} below={title} />),
    col('Path', ({ method, path }) => <code className="font-mono">{`${method} ${path}`}</code>),
    col('Price', 'prose', ({ price }) => price),
    col('MCP', (one) => (one.over_mcp ? 'Yes' : 'No')),
    col('Plans', ({ plans }) => plans.join(', ') || 'All customers'),
    isOwner &&
      col('Try', (one) => (
        <Button size="small" aria-label={`Try ${one.tool}`} onClick={() => setTrying(one)}>
          Try
        </Button>
      )),
  ]
  return (
    <>
      <List
        title={`Operations of version ${shown.version}`}
        label="Operations"
        about={
          shown.version === upstream.published
            ? 'What customers can call, and what each call costs.'
            : 'Customers do not get this version.'
        }
        rows={shown.operations}
        columns={columns}
        empty={{ title: 'No operations', about: 'This version sells nothing.' }}
      />
      {trying && <TryDialog id={id} version={shown.version} operation={trying} onClose={() => setTrying(null)} />}
    </>
  )
}

/** Every version that is kept: any of them can be published again. */
function VersionsCard({
  shown: { upstream, versions, shown },
  isOwner,
  onAct,
}: PartProps & { onAct: (act: Act) => void }) {
  const { id, published } = upstream
  const hasBefore = published !== null && versions.some(({ version }) => version < published)
  const columns: Columns<(typeof versions)[number]> = [
    col('Version', ({ version }) =>
      version === shown.version ? (
        version
      ) : (
        <Link to="/supply/upstreams/$id" params={{ id }} search={{ version }} className="underline underline-offset-4">
          {version}
        </Link>
      ),
    ),
    time('Stored (UTC)', (one) => one.created_at),
    figure('Operations', ({ operations }) => operations),
    col('State', ({ version }) => version === published && <UpstreamState upstream={upstream} />),
    isOwner &&
      col(
        'Publish',
        ({ version }) =>
          version !== published && (
            <Button
              size="small"
              aria-label={`Publish version ${version}`}
              onClick={() => onAct({ verb: 'publish', version })}
            >
              Publish
            </Button>
          ),
      ),
  ]
  return (
    <List
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
      rows={versions}
      columns={columns}
      keyOf={({ version }) => version}
      empty={{ about: '' }}
    />
  )
}
