import { useQuery } from '@tanstack/react-query'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { call, type Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { FinanceTable } from './finance-table.tsx'
import { LiabilityCards } from './liability-cards.tsx'
import { MonthChoice } from './month-choice.tsx'
import { Until } from './until.tsx'

type Rolled = Data<'GET /finance/credits'>

/** The credits of a month from opening to closing, and what is owed in them at any date. */
export function CreditsPage({ month, day }: { month?: string | undefined; day?: string | undefined }) {
  const rolled = useQuery({
    queryKey: ['operator', 'finance', 'credits', month],
    queryFn: ({ signal }) => call('GET /finance/credits', { signal, query: { month } }),
    placeholderData: (before) => before,
  })
  return (
    <>
      <PageHeader
        title="Credits"
        about="What was granted, burned and taken back in a month, and what unburned credits are worth."
        action={rolled.data && <MonthChoice month={month ?? rolled.data.month} />}
      />
      <QueryState
        query={rolled}
        loading="Loading the credits"
        bars={['h-40', 'h-40']}
        failed="The credits could not be loaded."
      />
      {rolled.data && <Tables rolled={rolled.data} />}
      <LiabilityCards day={day} />
      {rolled.data && <Until until={rolled.data.until} />}
    </>
  )
}

function Tables({ rolled: { month, credits, money: owed } }: { rolled: Rolled }) {
  const empty = { title: `No credits in ${month}`, about: 'Credits that are granted appear here.' }
  return (
    <>
      <FinanceTable
        title="Credits in the month"
        about="Opening + granted − burned − repaid − expired − taken back = closing. Repaid: for credits that were burned before their payment was refunded. Taken back: after a refund, a dispute or a change of plan, or by an operator."
        heads={['From', 'Opening', 'Granted', 'Burned', 'Repaid', 'Expired', 'Taken back', 'Closing']}
        csvHeads={['source', 'currency', 'opening', 'granted', 'burned', 'repaid', 'expired', 'taken_back', 'closing']}
        names={1}
        rows={credits.map((row) => {
          const figures = [row.opening, row.granted, row.burned, row.repaid, row.expired, row.taken_back, row.closing]
          return {
            key: `${row.currency} ${row.source}`,
            shown: [row.label, ...figures.map(count)],
            raw: [row.label, row.currency, ...figures],
          }
        })}
        fileName={`credits-${month}.csv`}
        empty={empty}
      />
      <FinanceTable
        title="Credit liability in the month"
        about="Opening + sold − earned − expired − refunded − other = closing. Earned: the share of the price for burned credits, rounded down; the last credit of a purchase takes the remainder. Expired, and Other (taken back without a refund), are breakage. Credits granted free carry no liability."
        heads={['From', 'Currency', 'Opening', 'Sold', 'Earned', 'Expired', 'Refunded', 'Other', 'Closing']}
        csvHeads={[
          'source',
          'currency',
          'opening',
          'sold',
          'earned',
          'expired',
          'taken_back_with_money',
          'taken_back_otherwise',
          'closing',
        ]}
        names={2}
        rows={owed.map((row) => {
          const figures = [row.opening, row.sold, row.earned, row.lapsed, row.returned, row.forfeited, row.closing]
          return {
            key: `${row.currency} ${row.source}`,
            shown: [row.label, row.currency.toUpperCase(), ...figures.map((cents) => money(cents, row.currency))],
            raw: [row.label, row.currency, ...figures],
          }
        })}
        fileName={`credits-money-${month}.csv`}
        empty={{ title: `No paid credits in ${month}`, about: 'The value of paid plans and packs appears here.' }}
      />
    </>
  )
}
