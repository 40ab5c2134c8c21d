import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { Figure, Figures } from '../charts/figure.tsx'
import { FinanceTable } from './finance-table.tsx'

/** Monthly recurring revenue, and what it consists of. */
export function RecurringCards({
  recurring: { day, now, converted, plans, months },
}: {
  recurring: Data<'GET /finance/recurring'>
}) {
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
        <Figures>
          {now.map(({ currency, mrr, arr, subscriptions }) => (
            <Figure
              key={currency}
              name={`MRR, ${currency.toUpperCase()}`}
              value={money(mrr, currency)}
              beside={`ARR ${money(arr, currency)}`}
              meaning={`From ${count(subscriptions)} subscriptions. ARR is twelve times MRR before rounding down.`}
            />
          ))}
        </Figures>
        {converted && (
          <p className="mt-4 text-muted">
            Converted, all of it is about {money(converted.mrr, converted.currency)} per month, by reference rates of
            the European Central Bank: {converted.rates.map(rateText).join('; ')}.
          </p>
        )}
      </Card>
      <div className="grid gap-5 xl:grid-cols-2">
        <FinanceTable
          title="MRR by plan"
          about="On that day. Each plan is rounded down, and the total only once."
          heads={['Plan', 'Currency', 'Subscriptions', 'MRR']}
          csvHeads={['plan', 'currency', 'subscriptions', 'mrr']}
          names={2}
          rows={plans.map((plan) => ({
            key: `${plan.source} ${plan.currency}`,
            shown: [plan.label, plan.currency.toUpperCase(), count(plan.subscriptions), money(plan.mrr, plan.currency)],
            raw: [plan.label, plan.currency, plan.subscriptions, plan.mrr],
          }))}
          fileName="mrr-by-plan.csv"
          empty={{ title: 'No plans', about: '' }}
        />
        <FinanceTable
          title="MRR by month"
          about="At the end of the last recorded day of each month (UTC)."
          heads={['Month (UTC)', 'Currency', 'Subscriptions', 'MRR']}
          csvHeads={['month', 'currency', 'subscriptions', 'mrr']}
          names={2}
          rows={months.map((row) => ({
            key: `${row.month} ${row.currency}`,
            shown: [row.month, row.currency.toUpperCase(), count(row.subscriptions), money(row.mrr, row.currency)],
            raw: [row.month, row.currency, row.subscriptions, row.mrr],
          }))}
          fileName="mrr-by-month.csv"
          empty={{ title: 'No months', about: '' }}
        />
      </div>
    </>
  )
}

const rateText = ({ currency, rate, day }: { currency: string; rate: number; day: string }) =>
  `€1 = ${rate} ${currency.toUpperCase()} on ${day}`
