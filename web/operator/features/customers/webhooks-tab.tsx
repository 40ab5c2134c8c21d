import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { partQuery } from './queries.ts'

const states = {
  delivered: { name: 'Delivered', tone: 'success' },
  waiting: { name: 'Waiting', tone: 'neutral' },
  failing: { name: 'Failing', tone: 'warning' },
  given_up: { name: 'Given up', tone: 'danger' },
} as const

export function WebhooksTab({ id }: { id: string }) {
  const query = useQuery(partQuery('GET /customers/{id}/webhooks', id))
  const deliveries = query.data?.deliveries ?? []
  return (
    <Card
      title="Alert webhook"
      about={
        query.data?.origin
          ? `Alerts are sent to ${query.data.origin}. The rest of the URL may hold a secret and is not shown.`
          : 'Where usage alerts are sent.'
      }
      flush={deliveries.length > 0}
    >
      <QueryState
        query={query}
        loading="Loading the webhook"
        bars={['h-9', 'h-9']}
        failed="The webhook could not be loaded."
      />
      {query.data && deliveries.length === 0 && (
        <EmptyState
          title={query.data.origin ? 'No deliveries yet' : 'No webhook'}
          about={
            query.data.origin
              ? 'The first usage alert appears here with its attempts.'
              : 'This customer has not set a URL for alerts.'
          }
        />
      )}
      {deliveries.length > 0 && (
        <Table
          label="Deliveries"
          head={
            <>
              <HeadCell>Delivery</HeadCell>
              <HeadCell>State</HeadCell>
              <HeadCell align="right">Attempts</HeadCell>
              <HeadCell>Ended or next attempt (UTC)</HeadCell>
              <HeadCell>Error</HeadCell>
            </>
          }
        >
          {deliveries.map((one) => (
            <tr key={one.id}>
              <Cell className="font-mono text-small">{one.id.slice(0, 8)}</Cell>
              <Cell>
                <Badge tone={states[one.state].tone}>{states[one.state].name}</Badge>
              </Cell>
              <Cell align="right">{count(one.attempts)}</Cell>
              <Cell className="whitespace-nowrap">{utcTime(one.at)}</Cell>
              <Cell className="w-full min-w-[20ch]">{one.error}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
