import { Card } from '../../../ui/card.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money, utcTime } from '../../lib/format.ts'
import { Figures } from '../charts/figure.tsx'

type Today = Data<'GET /today'>

/** What happens now, money and credits, and customers. */
export function FigureCards({ figures }: { figures: Today }) {
  const { calls, refused, failed, rate, received, credits, customers } = figures
  const hour = utcTime(figures.hour).slice(11)
  const before = ({ closed, yesterday }: Today['calls']) =>
    `${count(closed)} by ${hour} UTC, yesterday ${count(yesterday)}`
  const share = calls.today === 0 ? 0 : (failed.today / calls.today) * 100
  const until = figures.until ? `Complete until ${utcTime(figures.until).slice(11)} UTC.` : 'Not counted yet.'
  const sums = (all: readonly { currency: string; cents: number }[]) =>
    all.map(({ currency, cents }) => money(cents, currency)).join(', ') || money(0)
  return (
    <>
      <Card title="Calls">
        <Figures
          figures={[
            [
              'Calls per second',
              rate.now === null ? 'Measuring…' : rate.now.toLocaleString('en-US'),
              'Calls answered in the last minute. Yesterday: the average of this hour.',
              `Yesterday ${rate.yesterday.toLocaleString('en-US')}`,
            ],
            [
              'Calls',
              count(calls.today),
              'Calls answered since midnight UTC, successful and failed. Only successful calls are charged.',
              before(calls),
            ],
            [
              'Refused',
              count(refused.today),
              'Requests that did not run: no credits, over a limit, a wrong key or invalid input.',
              before(refused),
            ],
            [
              'Failed',
              `${count(failed.today)} (${share.toFixed(1)}%)`,
              'Calls that ran and ended in an error, and their share of all calls. They are not charged.',
              before(failed),
            ],
          ]}
        />
      </Card>
      <Card title={received ? 'Money and credits' : 'Credits'}>
        <Figures
          figures={[
            received && [
              'Received',
              sums(received),
              'Payments since midnight UTC, minus refunds and disputes. Includes tax.',
              received.length > 0 &&
                `By this time yesterday ${sums(received.map((one) => ({ ...one, cents: one.yesterday_cents })))}`,
            ],
            [
              'Credits sold',
              count(credits.sold),
              `Granted for payments since midnight UTC. ${until}`,
              `${count(credits.granted)} granted free`,
            ],
            [
              'Credits burned',
              count(credits.burned),
              'Charged for calls since midnight UTC, including pay-as-you-go units.',
              `${count(credits.expired)} expired`,
            ],
            [
              'Credits outstanding',
              count(credits.outstanding),
              `Granted and not burned yet. ${credits.liability ? 'The amount is what was paid for them. ' : ''}${until}`,
              `${count(credits.outstanding_paid)} of them paid${credits.liability ? `, worth ${sums(credits.liability)}` : ''}`,
            ],
          ]}
        />
      </Card>
      <Card title="Customers">
        <Figures
          figures={[
            [
              'New',
              count(customers.new_today),
              'Workspaces created since midnight UTC. Yesterday: the whole day.',
              `Yesterday ${count(customers.new_yesterday)}`,
            ],
            [
              'Active',
              count(customers.active_today),
              'Customers with at least one charged call since midnight UTC.',
              `Yesterday ${count(customers.active_yesterday)}`,
            ],
            [
              'Active in 30 days',
              count(customers.active_30),
              'Customers with at least one charged call in the last 30 days, including today.',
            ],
          ]}
        />
      </Card>
    </>
  )
}
