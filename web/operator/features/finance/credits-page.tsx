import { useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { useRead } from '../../lib/read.ts'
import { amount, type Columns, summed } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { LiabilityCards } from './liability-cards.tsx'
import { MonthChoice } from './month-choice.tsx'
import type { FinanceSearch } from './search.ts'
import { Until } from './until.tsx'

type Rolled = Data<'GET /finance/credits'>
type Credits = Rolled['credits'][number]
type Owed = Rolled['money'][number]

/** The credits of a month from opening to closing, and what is owed in them at any date. */
export function CreditsPage() {
  const { month, day }: FinanceSearch = useSearch({ strict: false })
  const rolled = useRead('GET /finance/credits', { query: { month } }, { keep: true })
  return (
    <>
      <PageHeader
        title="Credits"
        about="What was granted, burned and taken back in a month, and what unburned credits are worth."
        action={rolled.data && <MonthChoice month={month ?? rolled.data.month} />}
      />
      <Loaded query={rolled} what="credits" bars={['h-40', 'h-40']}>
        {(data) => (
          <>
            <List
              title="Credits in the month"
              about="Opening + granted − burned − repaid − expired − taken back = closing. Repaid: for credits that were burned before their payment was refunded. Taken back: after a refund, a dispute or a change of plan, or by an operator."
              rows={data.credits}
              columns={credits}
              keyOf={keyOf}
              csv={`credits-${data.month}.csv`}
              empty={{ title: `No credits in ${data.month}`, about: 'Credits that are granted appear here.' }}
            />
            <List
              title="Credit liability in the month"
              about="Opening + sold − earned − expired − refunded − other = closing. Earned: the share of the price for burned credits, rounded down; the last credit of a purchase takes the remainder. Expired, and Other (taken back without a refund), are breakage. Credits granted free carry no liability."
              rows={data.money}
              columns={owed}
              keyOf={keyOf}
              csv={`credits-money-${data.month}.csv`}
              empty={{
                title: `No paid credits in ${data.month}`,
                about: 'The value of paid plans and packs appears here.',
              }}
            />
          </>
        )}
      </Loaded>
      <LiabilityCards day={day} />
      {rolled.data && <Until until={rolled.data.until} />}
    </>
  )
}

const keyOf = ({ currency, source }: Credits | Owed) => `${currency} ${source}`

const credits: Columns<Credits> = [
  { head: 'From', look: 'name', value: ({ label }) => label, csv: 'source' },
  { head: 'Currency', value: ({ currency }) => currency, csv: 'currency', onlyCsv: true },
  { ...summed('Opening', (row: Credits) => row.opening), csv: 'opening' },
  { ...summed('Granted', (row: Credits) => row.granted), csv: 'granted' },
  { ...summed('Burned', (row: Credits) => row.burned), csv: 'burned' },
  { ...summed('Repaid', (row: Credits) => row.repaid), csv: 'repaid' },
  { ...summed('Expired', (row: Credits) => row.expired), csv: 'expired' },
  { ...summed('Taken back', (row: Credits) => row.taken_back), csv: 'taken_back' },
  { ...summed('Closing', (row: Credits) => row.closing), csv: 'closing' },
]

const currencyOf = ({ currency }: Owed) => currency
const owed: Columns<Owed> = [
  { head: 'From', look: 'name', value: ({ label }) => label, csv: 'source' },
  { head: 'Currency', value: currencyOf, cell: ({ currency }) => currency.toUpperCase(), csv: 'currency' },
  amount('Opening', (row) => row.opening, currencyOf, { csv: 'opening' }),
  amount('Sold', (row) => row.sold, currencyOf, { csv: 'sold' }),
  amount('Earned', (row) => row.earned, currencyOf, { csv: 'earned' }),
  amount('Expired', (row) => row.lapsed, currencyOf, { csv: 'expired' }),
  amount('Refunded', (row) => row.returned, currencyOf, { csv: 'taken_back_with_money' }),
  amount('Other', (row) => row.forfeited, currencyOf, { csv: 'taken_back_otherwise' }),
  amount('Closing', (row) => row.closing, currencyOf, { csv: 'closing' }),
]
