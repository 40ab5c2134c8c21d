import { PageHeader } from '../../../ui/page-header.tsx'
import { useRead } from '../../lib/read.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Attention } from '../health/attention.tsx'
import { FigureCards } from './figure-cards.tsx'
import { TodayCharts } from './today-charts.tsx'
import { TopTables } from './top-tables.tsx'

const everyMs = 10_000

/** The first page: how the business goes now. It reads again while it is visible. */
export function TodayPage() {
  const today = useRead('GET /today', {}, { everyMs })
  const lists = useRead('GET /today/lists', {}, { everyMs })
  return (
    <>
      <PageHeader
        title="Today"
        about="All customers together. Hours and days are UTC. The figures refresh every ten seconds."
      />
      <Attention />
      <Loaded query={today} what="figures" bars={['h-36', 'h-36', 'h-36']}>
        {(figures) => <FigureCards figures={figures} />}
      </Loaded>
      <Loaded query={lists} what="charts" bars={['h-64', 'h-64']}>
        {(data) => (
          <>
            <TodayCharts lists={data} />
            <TopTables lists={data} />
          </>
        )}
      </Loaded>
    </>
  )
}
