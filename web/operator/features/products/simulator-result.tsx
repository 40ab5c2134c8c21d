import { Card } from '../../../ui/card.tsx'
import { count, money } from '../../lib/format.ts'
import { type Column, type Columns, col, figure, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Rows } from '../../ui/rows.tsx'
import type { Simulation } from './simulator-page.tsx'

type Line = [name: string, now: string, then: string, difference: string]

/** What both prices bring, how many customers would pay more, and those whose cost would change most. */
export function SimulatorResult({ data }: { data: Simulation }) {
  const { totals, biggest, currency, pack, month, days, days_summed } = data
  const signed = (cents: number) => `${cents > 0 ? '+' : ''}${money(cents, currency)}`
  const { cents, simulated_cents: then = 0, pay_more = 0, pay_less = 0, customers } = totals
  const moneyLines: Line[] =
    cents === undefined
      ? []
      : [
          ['Money', money(cents, currency), money(then, currency), signed(then - cents)],
          ['Customers who pay more', '', count(pay_more), `of ${count(customers)}`],
          ['Customers who pay less', '', count(pay_less), `of ${count(customers)}`],
        ]
  const lines: Line[] = [
    [
      'Credits',
      count(totals.credits),
      count(totals.simulated_credits),
      count(totals.simulated_credits - totals.credits),
    ],
    ...moneyLines,
  ]
  const columns: Columns<Line> = [
    col(`Of ${month}`, 'name', ([name]) => name),
    ...['At current prices', 'Simulated', 'Difference'].map(
      (head, at): Column<Line> => ({ head, look: 'figure', cell: (line) => line[at + 1] }),
    ),
  ]
  const changes: Columns<Simulation['biggest'][number]> = [
    col('Customer', 'name', ({ name, plan }) => <Two main={name} below={plan ?? 'No plan'} />),
    figure('Credits', ({ credits }) => credits),
    figure('New credits', (one) => one.simulated_credits),
    figure('Cost', ({ cents = 0 }) => cents, { cell: ({ cents = 0 }) => money(cents, currency) }),
    figure('New cost', (one) => one.simulated_cents ?? 0, {
      cell: ({ simulated_cents: then = 0, cents = 0 }) => (
        <Two main={money(then, currency)} below={signed(then - cents)} />
      ),
    }),
  ]
  return (
    <div className="min-w-0 space-y-5">
      <Card
        title="Result"
        about="Each customer pays for their current plan (a yearly price counts one twelfth), credits beyond it at the price of the pack on sale, and pay-as-you-go per request with its minimum."
        flush
        footer={
          <>
            {pack === null && <p>No pack is on sale, so credits beyond a plan count as free. </p>}
            {days_summed < days && (
              <p>
                {days_summed} of {days} days of {month} are counted so far.
              </p>
            )}
            <p>
              Variable prices are estimated from the units charged, and free tools from all their calls. Customers with
              an unlimited plan are left out.
            </p>
          </>
        }
      >
        <Rows label="Totals" columns={columns} rows={lines} keyOf={([name]) => name} />
      </Card>
      {cents !== undefined && (
        <List
          title="Biggest changes"
          about="The ten customers whose cost would change the most."
          rows={biggest}
          columns={changes}
          keyOf={(one) => one.account_id}
          empty={{ title: 'No changes', about: 'These prices change nothing for any customer.' }}
        />
      )}
    </div>
  )
}
