import { useQuery } from '@tanstack/react-query'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { call } from '../../lib/api.ts'
import { Attention } from '../health/attention.tsx'
import { FigureCards } from './figure-cards.tsx'
import { TodayCharts } from './today-charts.tsx'
import { TopTables } from './top-tables.tsx'

const everyMs = 10_000

/** The first page: how the business goes now. It reads again while it is visible. */
export function TodayPage() {
  const today = useQuery({
    queryKey: ['operator', 'today'],
    queryFn: ({ signal }) => call('GET /today', { signal }),
    refetchInterval: everyMs,
  })
  const lists = useQuery({
    queryKey: ['operator', 'today', 'lists'],
    queryFn: ({ signal }) => call('GET /today/lists', { signal }),
    refetchInterval: everyMs,
  })
  return (
    <>
      <PageHeader
        title="Today"
        about="All customers together. Hours and days are UTC. The figures refresh every ten seconds."
      />
      <Attention />
      <QueryState
        query={today}
        loading="Loading today's figures"
        bars={['h-36', 'h-36', 'h-36']}
        failed="The figures could not be loaded."
      />
      {today.data && <FigureCards figures={today.data} />}
      <QueryState
        query={lists}
        loading="Loading the charts"
        bars={['h-64', 'h-64']}
        failed="The charts could not be loaded."
      />
      {lists.data && <TodayCharts lists={lists.data} />}
      {lists.data && <TopTables lists={lists.data} />}
    </>
  )
}
