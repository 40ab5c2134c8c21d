import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { partQuery } from './queries.ts'

export function KeysTab({ id }: { id: string }) {
  const query = useQuery(partQuery('GET /customers/{id}/keys', id))
  const keys = query.data?.keys ?? []
  return (
    <Card
      title="API keys"
      about="Masked: the console never shows a full key. Deleted keys stay listed, because receipts name them."
      flush={keys.length > 0}
    >
      <QueryState
        query={query}
        loading="Loading the keys"
        bars={['h-9', 'h-9']}
        failed="The keys could not be loaded."
      />
      {query.data && keys.length === 0 && (
        <EmptyState title="No keys" about="This customer has not created an API key yet." />
      )}
      {keys.length > 0 && (
        <Table
          label="API keys"
          head={
            <>
              <HeadCell>Key</HeadCell>
              <HeadCell>Limits</HeadCell>
              <HeadCell align="right">Calls</HeadCell>
              <HeadCell>Last used (UTC)</HeadCell>
              <HeadCell>Created (UTC)</HeadCell>
            </>
          }
        >
          {keys.map((key) => (
            <tr key={key.id} className="align-top">
              <Cell className="min-w-[20ch]">
                <bdi className="font-strong">{key.name}</bdi> {key.deleted_at && <Badge tone="danger">Deleted</Badge>}
                <p className="font-mono text-small text-muted">{key.masked}</p>
              </Cell>
              <Cell className="min-w-[20ch] text-small">
                {limitsOf(key) || <span className="text-muted">None</span>}
              </Cell>
              <Cell align="right">{count(key.calls)}</Cell>
              <Cell className="whitespace-nowrap">
                {key.last_used_at ? utcTime(key.last_used_at) : <span className="text-muted">Never</span>}
                <p className="max-w-[24ch] truncate text-small text-muted">{key.last_used_client}</p>
              </Cell>
              <Cell className="whitespace-nowrap">
                {utcTime(key.created_at)}
                <p className="text-small text-muted">{key.created_by}</p>
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

const limitsOf = (key: {
  monthly_budget: number | null
  budget_left: number | null
  rate_limit_per_minute: number | null
  allowed_networks: string[] | null
  expires_at: string | null
}): string =>
  [
    key.monthly_budget !== null &&
      `${count(key.budget_left ?? 0)} of ${count(key.monthly_budget)} credits left this month`,
    key.rate_limit_per_minute !== null && `${count(key.rate_limit_per_minute)} requests per minute`,
    key.allowed_networks && `only from ${key.allowed_networks.join(', ')}`,
    key.expires_at && `expires ${utcTime(key.expires_at)} UTC`,
  ]
    .filter(Boolean)
    .join('; ')
