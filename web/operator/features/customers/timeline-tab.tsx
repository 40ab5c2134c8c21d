import { usePages } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { List } from '../../ui/list.tsx'
import { noTimeline, TimelineTable } from './timeline-table.tsx'

export function TimelineTab() {
  const query = usePages('GET /customers/{id}/timeline', { params: { id: useRouteId() } })
  return (
    <List
      title="Timeline"
      about="What the customer's people and the operators did, newest first."
      query={query}
      what="entries"
      rows={query.data?.pages.flatMap(({ entries }) => entries) ?? []}
      empty={noTimeline}
    >
      {(entries) => <TimelineTable entries={entries} />}
    </List>
  )
}
