import { useInfiniteQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { LedgerTable } from './ledger-table.tsx'
import { ledgerQuery } from './queries.ts'
import { ShowMore } from './show-more.tsx'

export function LedgerTab({ id }: { id: string }) {
  const query = useInfiniteQuery(ledgerQuery(id))
  const lines = query.data?.pages.flatMap((page) => page.lines) ?? []
  return (
    <Card
      title="Credit ledger"
      about="Every change to the grants, newest first. Burned credits are settled about once a minute, for many calls together."
      flush={lines.length > 0}
    >
      <QueryState
        query={query}
        loading="Loading the ledger"
        bars={['h-9', 'h-9', 'h-9']}
        failed="The ledger could not be loaded."
      />
      {query.data && lines.length === 0 && (
        <EmptyState title="No entries yet" about="The first credits of this customer appear here." />
      )}
      {lines.length > 0 && <LedgerTable lines={lines} />}
      <ShowMore query={query} label="Show older entries" />
    </Card>
  )
}
