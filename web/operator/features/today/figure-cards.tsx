import { Card } from '../../../ui/card.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money, utcTime } from '../../lib/format.ts'
import { Figure, Figures } from '../charts/figure.tsx'

type Today = Data<'GET /today'>

/** What happens now, money and credits, and customers. */
export function FigureCards({ figures }: { figures: Today }) {
  const { calls, refused, failed, rate, received, credits, customers } = figures
  const hour = utcTime(figures.hour).slice(11)
  const before = ({ closed, yesterday }: Today['calls']) =>
    `${count(closed)} until ${hour}, yesterday ${count(yesterday)}`
  const share = calls.today === 0 ? 0 : (failed.today / calls.today) * 100
  const until = figures.until ? `Complete until ${utcTime(figures.until).slice(11)}.` : 'Not counted yet.'
  return (
    <>
      <Card title="Calls">
        <Figures>
          <Figure
            name="Calls a second"
            value={rate.now === null ? 'Measuring' : rate.now.toLocaleString('en-US')}
            beside={`Yesterday ${rate.yesterday.toLocaleString('en-US')}`}
            meaning="Answered calls over the last minute. Yesterday: the mean of this hour."
          />
          <Figure
            name="Calls"
            value={count(calls.today)}
            beside={before(calls)}
            meaning="Answered calls since midnight, successful and failed. Only successful ones are charged."
          />
          <Figure
            name="Refused"
            value={count(refused.today)}
            beside={before(refused)}
            meaning="Requests that were not run: no credits, a limit, a wrong key or wrong input."
          />
          <Figure
            name="Failed"
            value={`${count(failed.today)} (${share.toFixed(1)}%)`}
            beside={before(failed)}
            meaning="Calls that ran and ended in an error. They cost the customer nothing. Share of all calls."
          />
        </Figures>
      </Card>
      <Card title="Money and credits">
        <Figures>
          <Figure
            name="Received"
            value={
              received.length === 0
                ? money(0)
                : received.map(({ currency, cents }) => money(cents, currency)).join(', ')
            }
            beside={
              received.length > 0 &&
              `Yesterday at this time ${received.map((one) => money(one.yesterday_cents, one.currency)).join(', ')}`
            }
            meaning="Payments since midnight, less refunds and disputes. Tax is not kept apart."
          />
          <Figure
            name="Credits sold"
            value={count(credits.sold)}
            beside={`${count(credits.granted)} given without payment`}
            meaning={`Granted since midnight for a payment. ${until}`}
          />
          <Figure
            name="Credits burned"
            value={count(credits.burned)}
            beside={`${count(credits.expired)} expired`}
            meaning="Charged for calls since midnight, pay-as-you-go units included."
          />
          <Figure
            name="Credits outstanding"
            value={count(credits.outstanding)}
            beside={`${count(credits.outstanding_paid)} of them paid: ${
              credits.liability.map(({ currency, cents }) => money(cents, currency)).join(', ') || money(0)
            }`}
            meaning={`Granted and not used yet. The money is what paid credits still owe. ${until}`}
          />
        </Figures>
      </Card>
      <Card title="Customers">
        <Figures>
          <Figure
            name="New"
            value={count(customers.new_today)}
            beside={`Yesterday ${count(customers.new_yesterday)}`}
            meaning="Workspaces created since midnight. Yesterday: the whole day."
          />
          <Figure
            name="Active"
            value={count(customers.active_today)}
            beside={`Yesterday ${count(customers.active_yesterday)}`}
            meaning="Customers with at least one charged call since midnight."
          />
          <Figure
            name="Active in 30 days"
            value={count(customers.active_30)}
            meaning="Customers with at least one charged call in the 30 days that end today."
          />
        </Figures>
      </Card>
    </>
  )
}
