import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { type Columns, figure } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Figures } from '../charts/figure.tsx'

type Recurring = Data<'GET /finance/recurring'>

/** Monthly recurring revenue, and what it consists of. */
export function RecurringCards({ recurring: { day, now, converted, plans, months } }: { recurring: Recurring }) {
  const about =
    'Prices of active subscriptions, and of those whose payment is less than seven days late. A yearly price counts one twelfth per month. Excludes trials, free plans, pay-as-you-go, packs, and tax that is added to a price. A price that includes tax counts in full.'
  if (now.length === 0)
    return (
      <Card title="Recurring revenue" about={about}>
        <EmptyState
          title={day ? `No paid subscriptions at the end of ${day}` : 'No recurring revenue yet'}
          about="Recurring revenue is recorded at the end of each day, at midnight UTC."
        />
      </Card>
    )
  return (
    <>
      <Card title={`Recurring revenue at the end of ${day} (UTC)`} about={about}>
        <Figures
          figures={now.map(({ currency, mrr, arr, subscriptions }) => [
            `MRR, ${currency.toUpperCase()}`,
            money(mrr, currency),
            `From ${count(subscriptions)} subscriptions. ARR is twelve times MRR before rounding down.`,
            `ARR ${money(arr, currency)}`,
          ])}
        />
        {converted && (
          <p className="mt-4 text-muted">
            Converted, all of it is about {money(converted.mrr, converted.currency)} per month, by reference rates of
            the European Central Bank: {converted.rates.map(rateText).join('; ')}.
          </p>
        )}
      </Card>
      <div className="grid gap-5 xl:grid-cols-2">
        <List
          title="MRR by plan"
          about="On that day. Each plan is rounded down, and the total only once."
          rows={plans}
          columns={[{ head: 'Plan', look: 'name', value: (plan) => plan.label, csv: 'plan' }, ...figures]}
          keyOf={({ source, currency }) => `${source} ${currency}`}
          csv="mrr-by-plan.csv"
          empty={{ title: 'No plans', about: '' }}
        />
        <List
          title="MRR by month"
          about="At the end of the last recorded day of each month (UTC)."
          rows={months}
          columns={[{ head: 'Month (UTC)', look: 'line', value: (row) => row.month, csv: 'month' }, ...figures]}
          keyOf={({ month, currency }) => `${month} ${currency}`}
          csv="mrr-by-month.csv"
          empty={{ title: 'No months', about: '' }}
        />
      </div>
    </>
  )
}

const rateText = ({ currency, rate, day }: { currency: string; rate: number; day: string }) =>
  `€1 = ${rate} ${currency.toUpperCase()} on ${day}`

interface Recorded {
  currency: string
  subscriptions: number
  mrr: number
}
const figures: Columns<Recorded> = [
  {
    head: 'Currency',
    value: ({ currency }) => currency,
    cell: ({ currency }) => currency.toUpperCase(),
    csv: 'currency',
  },
  figure('Subscriptions', ({ subscriptions }) => subscriptions, { csv: 'subscriptions' }),
  // Rounded down row by row, and months are no sum: there is no total.
  figure('MRR', ({ mrr }) => mrr, { csv: 'mrr', cell: ({ mrr, currency }) => money(mrr, currency) }),
]
