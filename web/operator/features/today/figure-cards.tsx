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
    `${count(closed)} by ${hour} UTC, yesterday ${count(yesterday)}`
  const share = calls.today === 0 ? 0 : (failed.today / calls.today) * 100
  const until = figures.until ? `Complete until ${utcTime(figures.until).slice(11)} UTC.` : 'Not counted yet.'
  return (
    <>
      <Card title="Calls">
        <Figures>
          <Figure
            name="Calls per second"
            value={rate.now === null ? 'Measuring…' : rate.now.toLocaleString('en-US')}
            beside={`Yesterday ${rate.yesterday.toLocaleString('en-US')}`}
            meaning="Calls answered in the last minute. Yesterday: the average of this hour."
          />
          <Figure
            name="Calls"
            value={count(calls.today)}
            beside={before(calls)}
            meaning="Calls answered since midnight UTC, successful and failed. Only successful calls are charged."
          />
          <Figure
            name="Refused"
            value={count(refused.today)}
            beside={before(refused)}
            meaning="Requests that did not run: no credits, over a limit, a wrong key or invalid input."
          />
          <Figure
            name="Failed"
            value={`${count(failed.today)} (${share.toFixed(1)}%)`}
            beside={before(failed)}
            meaning="Calls that ran and ended in an error, and their share of all calls. They are not charged."
          />
        </Figures>
      </Card>
      <Card title={received ? 'Money and credits' : 'Credits'}>
        <Figures>
          {received && (
            <Figure
              name="Received"
              value={
                received.length === 0
                  ? money(0)
                  : received.map(({ currency, cents }) => money(cents, currency)).join(', ')
              }
              beside={
                received.length > 0 &&
                `By this time yesterday ${received.map((one) => money(one.yesterday_cents, one.currency)).join(', ')}`
              }
              meaning="Payments since midnight UTC, minus refunds and disputes. Includes tax."
            />
          )}
          <Figure
            name="Credits sold"
            value={count(credits.sold)}
            beside={`${count(credits.granted)} granted free`}
            meaning={`Granted for payments since midnight UTC. ${until}`}
          />
          <Figure
            name="Credits burned"
            value={count(credits.burned)}
            beside={`${count(credits.expired)} expired`}
            meaning="Charged for calls since midnight UTC, including pay-as-you-go units."
          />
          <Figure
            name="Credits outstanding"
            value={count(credits.outstanding)}
            beside={`${count(credits.outstanding_paid)} of them paid${
              credits.liability
                ? `, worth ${credits.liability.map(({ currency, cents }) => money(cents, currency)).join(', ') || money(0)}`
                : ''
            }`}
            meaning={`Granted and not burned yet. ${credits.liability ? 'The amount is what was paid for them. ' : ''}${until}`}
          />
        </Figures>
      </Card>
      <Card title="Customers">
        <Figures>
          <Figure
            name="New"
            value={count(customers.new_today)}
            beside={`Yesterday ${count(customers.new_yesterday)}`}
            meaning="Workspaces created since midnight UTC. Yesterday: the whole day."
          />
          <Figure
            name="Active"
            value={count(customers.active_today)}
            beside={`Yesterday ${count(customers.active_yesterday)}`}
            meaning="Customers with at least one charged call since midnight UTC."
          />
          <Figure
            name="Active in 30 days"
            value={count(customers.active_30)}
            meaning="Customers with at least one charged call in the last 30 days, including today."
          />
        </Figures>
      </Card>
    </>
  )
}
