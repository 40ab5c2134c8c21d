import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count } from '../../lib/format.ts'
import { type Upstream, upstreamsQuery, useIsOwner } from './queries.ts'
import { SecretsCard } from './secrets-card.tsx'
import { changesOf, sumOf, UpstreamState } from './upstream-state.tsx'

/** APIs and MCP servers that customers call through Finmeter. */
export function UpstreamsPage() {
  const upstreams = useQuery(upstreamsQuery)
  const isOwner = useIsOwner()
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
      <Card
        title="APIs and MCP servers"
        about="Calls, failures and p95 are from the running servers, each since it began to serve the version."
        flush={all.length > 0}
      >
        <QueryState
          query={upstreams}
          loading="Loading the upstreams"
          bars={['h-9', 'h-9', 'h-9']}
          failed="The upstreams could not be loaded."
        />
        {upstreams.data && all.length === 0 && (
          <EmptyState
            title="No APIs yet"
            about="Paste the OpenAPI description of an API, or enter the URL of an MCP server, and set a price."
            action={add}
          />
        )}
        {all.length > 0 && (
          <Table
            label="Upstreams"
            head={
              <>
                <HeadCell>Name</HeadCell>
                <HeadCell>State</HeadCell>
                <HeadCell align="right">Version</HeadCell>
                <HeadCell align="right">Operations</HeadCell>
                <HeadCell align="right">Calls</HeadCell>
                <HeadCell align="right">Failed</HeadCell>
                <HeadCell align="right">p95</HeadCell>
                <HeadCell>To approve</HeadCell>
              </>
            }
          >
            {all.map((one) => (
              <Row key={one.id} upstream={one} />
            ))}
          </Table>
        )}
      </Card>
      <SecretsCard isOwner={isOwner} />
    </>
  )
}

function Row({ upstream }: { upstream: Upstream }) {
  const { id, name, kind, published, newest, operations, servers } = upstream
  const { calls, failed, p95Ms } = sumOf(servers)
  const changes = changesOf(upstream)
  return (
    <tr className="align-top">
      <Cell>
        <Link to="/supply/upstreams/$id" params={{ id }} className="font-strong underline underline-offset-4">
          {name}
        </Link>
        <p className="text-small text-muted">
          <code className="font-mono">{id}</code>, {kind === 'mcp' ? 'MCP server' : 'API'}
        </p>
      </Cell>
      <Cell>
        <UpstreamState upstream={upstream} />
      </Cell>
      <Cell align="right">
        {published ?? '–'}
        {newest !== published && <p className="text-small text-muted">{newest} is stored</p>}
      </Cell>
      <Cell align="right">{count(operations)}</Cell>
      <Cell align="right">{count(calls)}</Cell>
      <Cell align="right">{count(failed)}</Cell>
      <Cell align="right">{p95Ms === null ? '–' : `${count(p95Ms)} ms`}</Cell>
      <Cell>
        {changes > 0 ? <Badge tone="warning">{changes === 1 ? '1 change' : `${changes} changes`}</Badge> : '–'}
      </Cell>
    </tr>
  )
}
