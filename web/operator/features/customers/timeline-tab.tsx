import { useInfiniteQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { timelineQuery } from './queries.ts'
import { ShowMore } from './show-more.tsx'
import { TimelineTable } from './timeline-table.tsx'

export function TimelineTab({ id }: { id: string }) {
  const query = useInfiniteQuery(timelineQuery(id))
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Card
      title="Timeline"
      about="What the customer's people and the operators did, newest first."
      flush={entries.length > 0}
    >
      <QueryState
        query={query}
        loading="Loading the timeline"
        bars={['h-9', 'h-9', 'h-9']}
        failed="The timeline could not be loaded."
      />
      {query.data && entries.length === 0 && (
        <EmptyState title="Nothing yet" about="Sign-ups, keys, plans and operator actions appear here." />
      )}
      {entries.length > 0 && <TimelineTable entries={entries} />}
      <ShowMore query={query} label="Show older entries" />
    </Card>
  )
}
