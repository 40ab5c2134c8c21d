import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { useRole } from '../../lib/use-role.ts'
import { type Columns, col, figure, summed, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import { type Upstream, upstreamsQuery } from './queries.ts'
import { SecretsCard } from './secrets-card.tsx'
import { msText } from './servers-card.tsx'
import { type Act, StateDialog } from './state-dialog.tsx'
import { actsOf, changesOf, sumOf, UpstreamState } from './upstream-state.tsx'

type Chosen = { act: Act; upstream: Upstream }

/** APIs and MCP servers that customers call through Finmeter. */
export function UpstreamsPage() {
  const upstreams = useQuery(upstreamsQuery)
  const isOwner = useRole('owner')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const all = upstreams.data?.upstreams ?? []
  const add = isOwner && (
    <Link to="/supply/upstreams/new" className={buttonClass({ look: 'primary' })}>
      Add an API
    </Link>
  )
  return (
    <>
      <PageHeader
        title="Upstreams"
        about="Your own APIs and MCP servers. Customers call them through this installation, which charges for each call."
        action={all.length > 0 && add}
      />
      <List
        title="APIs and MCP servers"
        label="Upstreams"
        about="Calls, failures and p95 are from the running servers, each since it began to serve the version."
        query={upstreams}
        what="upstreams"
        rows={all}
        columns={columnsOf(isOwner, setChosen)}
        sorts
        empty={{
          title: 'No APIs yet',
          about: 'Paste the OpenAPI description of an API, or enter the URL of an MCP server, and set a price.',
          action: add,
        }}
      />
      <SecretsCard isOwner={isOwner} />
      {chosen && <StateDialog {...chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

const columnsOf = (isOwner: boolean, onChoose: (chosen: Chosen) => void): Columns<Upstream> => [
  {
    head: 'Name',
    look: 'name',
    value: ({ name }) => name,
    cell: ({ id, name, kind }) => (
      <Two
        main={
          <Link to="/supply/upstreams/$id" params={{ id }} className="font-strong underline underline-offset-4">
            {name}
          </Link>
        }
        below={
          <>
            <code className="font-mono">{id}</code>, {kind === 'mcp' ? 'MCP server' : 'API'}
          </>
        }
      />
    ),
  },
  col('State', (upstream) => <UpstreamState upstream={upstream} />),
  col('Version', 'figure', ({ published, newest }) => (
    <Two main={published ?? '–'} below={newest !== published && `${newest} is stored`} />
  )),
  summed('Operations', ({ operations }) => operations),
  summed('Calls', ({ servers }) => sumOf(servers).calls),
  summed('Failed', ({ servers }) => sumOf(servers).failed),
  figure('p95', ({ servers }) => sumOf(servers).p95Ms ?? 0, { cell: ({ servers }) => msText(sumOf(servers).p95Ms) }),
  col('To approve', (upstream) => {
    const changes = changesOf(upstream)
    return changes > 0 ? <Badge tone="warning">{changes === 1 ? '1 change' : `${changes} changes`}</Badge> : '–'
  }),
  isOwner &&
    col('Actions', (upstream) => (
      <MenuButton
        label={`Actions for ${upstream.name}`}
        items={actsOf(upstream).map(({ verb, label }) => ({
          label,
          onSelect: () => onChoose({ act: { verb }, upstream }),
        }))}
      />
    )),
]
