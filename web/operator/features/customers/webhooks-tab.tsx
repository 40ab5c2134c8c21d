import { Badge } from '../../../ui/badge.tsx'
import type { Data } from '../../lib/api.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, figure, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

const states = {
  delivered: { name: 'Delivered', tone: 'success' },
  waiting: { name: 'Waiting', tone: 'neutral' },
  failing: { name: 'Failing', tone: 'warning' },
  given_up: { name: 'Given up', tone: 'danger' },
} as const

export function WebhooksTab() {
  const query = useRead('GET /customers/{id}/webhooks', { params: { id: useRouteId() } })
  const origin = query.data?.origin
  return (
    <List
      title="Alert webhook"
      label="Deliveries"
      about={
        origin
          ? `Alerts are sent to ${origin}. The rest of the URL may hold a secret and is not shown.`
          : 'Where usage alerts are sent.'
      }
      query={query}
      what="deliveries"
      rows={query.data?.deliveries ?? []}
      columns={columns}
      empty={
        origin
          ? { title: 'No deliveries yet', about: 'The first usage alert appears here with its attempts.' }
          : { title: 'No webhook', about: 'This customer has not set a URL for alerts.' }
      }
    />
  )
}

const columns: Columns<Data<'GET /customers/{id}/webhooks'>['deliveries'][number]> = [
  col('Delivery', 'code', ({ id }) => id.slice(0, 8)),
  col('State', ({ state }) => <Badge tone={states[state].tone}>{states[state].name}</Badge>),
  figure('Attempts', (one) => one.attempts),
  time('Ended or next attempt (UTC)', (one) => one.at),
  col('Error', 'rest', ({ error }) => error),
]
