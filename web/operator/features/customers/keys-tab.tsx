import { Badge } from '../../../ui/badge.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, shownOr, summed, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

type Key = Data<'GET /customers/{id}/keys'>['keys'][number]

export function KeysTab() {
  const query = useRead('GET /customers/{id}/keys', { params: { id: useRouteId() } })
  return (
    <List
      title="API keys"
      about="Masked: the console never shows a full key. Deleted keys stay listed, because receipts name them."
      query={query}
      what="keys"
      rows={query.data?.keys ?? []}
      columns={columns}
      sorts
      empty={{ title: 'No keys', about: 'This customer has not created an API key yet.' }}
    />
  )
}

const columns: Columns<Key> = [
  {
    head: 'Key',
    look: 'name',
    value: (key) => key.name,
    cell: (key) => (
      <>
        <bdi className="font-strong">{key.name}</bdi> {key.deleted_at && <Badge tone="danger">Deleted</Badge>}
        <p className="font-mono text-small text-muted">{key.masked}</p>
      </>
    ),
  },
  col('Limits', 'prose', (key) => shownOr(limitsOf(key) || null, 'None')),
  summed('Calls', (key) => key.calls),
  {
    head: 'Last used (UTC)',
    look: 'line',
    value: (key) => key.last_used_at ?? '',
    cell: (key) => (
      <>
        {shownOr(key.last_used_at && utcTime(key.last_used_at), 'Never')}
        <p className="max-w-[24ch] truncate text-small text-muted">{key.last_used_client}</p>
      </>
    ),
  },
  {
    head: 'Created (UTC)',
    look: 'line',
    value: (key) => key.created_at,
    cell: (key) => <Two main={utcTime(key.created_at)} below={key.created_by} />,
  },
]

const limitsOf = (key: Key): string =>
  [
    key.monthly_budget !== null &&
      `${count(key.budget_left ?? 0)} of ${count(key.monthly_budget)} credits left this month`,
    key.rate_limit_per_minute !== null && `${count(key.rate_limit_per_minute)} requests per minute`,
    key.allowed_networks && `only from ${key.allowed_networks.join(', ')}`,
    key.expires_at && `expires ${utcTime(key.expires_at)} UTC`,
  ]
    .filter(Boolean)
    .join('; ')
