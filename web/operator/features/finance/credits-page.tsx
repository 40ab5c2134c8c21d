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
        about="How credits, and the money owed in them, went from the opening to the closing of a month."
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
        title="Credits from opening to closing"
        about="Opening + granted − burned − repaid − expired − taken back = closing. Burned: by calls. Repaid: for credits that had been used although refunded. Taken back: with a refund, a dispute, another plan, or by an operator."
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
        title="Money owed in credits"
        about="Opening + sold − earned − expired − with refunds − otherwise = closing. Earned: the money of burned credits, in proportion, rounded down; the last credit of a purchase takes the remainder. Expired and otherwise taken back is breakage. Credits without a payment owe nothing."
        heads={['From', 'Currency', 'Opening', 'Sold', 'Earned', 'Expired', 'With refunds', 'Otherwise', 'Closing']}
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
        empty={{ title: `No paid credits in ${month}`, about: 'The money of paid plans and packs appears here.' }}
      />
    </>
  )
}
