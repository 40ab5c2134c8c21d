import { Card } from '../../../ui/card.tsx'
import { count, money } from '../../lib/format.ts'
import { type Column, type Columns, col, figure, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Rows } from '../../ui/rows.tsx'
import type { Simulation } from './simulator-page.tsx'

type Line = [name: string, now: string, then: string, difference: string, payMore?: string, payLess?: string]

/** What both prices bring, how many customers would pay more, and those whose cost would change most. */
export function SimulatorResult({ data }: { data: Simulation }) {
  const { totals, biggest, pack, month, days, days_summed } = data
  const signed = (change: number, shown: string) => `${change > 0 ? '+' : ''}${shown}`
  const signedMoney = (cents: number, currency: string) => signed(cents, money(cents, currency))
  const isOne = totals.money.length === 1
  const moneyLines = totals.money.map(
    ({ currency, cents, simulated_cents: then, pay_more, pay_less, customers }): Line => [
      isOne ? 'Money' : `Money in ${currency.toUpperCase()}`,
      money(cents, currency),
      money(then, currency),
      signedMoney(then - cents, currency),
      `${count(pay_more)} of ${count(customers)}`,
      `${count(pay_less)} of ${count(customers)}`,
    ],
  )
  const packless = totals.money.filter(({ pack_cents }) => pack !== null && pack_cents === null)
  const more = totals.simulated_credits - totals.credits
  const lines: Line[] = [
    ['Credits', count(totals.credits), count(totals.simulated_credits), signed(more, count(more))],
    ...moneyLines,
  ]
  const columns: Columns<Line> = [
    col(`Of ${month}`, 'name', ([name]) => name),
    ...['At current prices', 'Simulated', 'Difference', 'Pay more', 'Pay less'].map(
      (head, at): Column<Line> => ({ head, look: 'figure', cell: (line) => line[at + 1] }),
    ),
  ]
  const changes: Columns<Simulation['biggest'][number]> = [
    col('Customer', 'name', ({ name, plan }) => <Two main={name} below={plan ?? 'No plan'} />),
    figure('Credits', ({ credits }) => credits),
    figure('New credits', (one) => one.simulated_credits),
    figure('Cost', ({ cents }) => cents, { cell: ({ cents, currency }) => money(cents, currency) }),
    figure('New cost', (one) => one.simulated_cents, {
      cell: ({ simulated_cents: then, cents, currency }) => (
        <Two main={money(then, currency)} below={signedMoney(then - cents, currency)} />
      ),
    }),
  ]
  return (
    <div className="min-w-0 space-y-5">
      <Card
        title="Result"
        about="Each customer pays in their own currency: their current plan (a yearly price counts one twelfth), credits beyond it at the price of the pack on sale, and pay-as-you-go per request with its minimum. Pay more and Pay less count customers."
        flush
        footer={
          <>
            {pack === null && <p>No pack is on sale, so credits beyond a plan count as free. </p>}
            {packless.length > 0 && (
              <p>
                The pack is not sold in {packless.map(({ currency }) => currency.toUpperCase()).join(', ')}, so there
                credits beyond a plan count as free.
              </p>
            )}
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
      {totals.money.length > 0 && (
        <List
          title="Biggest changes"
          about={`The ten customers${isOne ? '' : ' of each currency'} whose cost would change the most, and after them those who would only burn more or fewer credits.`}
          rows={biggest}
          columns={changes}
          keyOf={(one) => one.account_id}
          empty={{ title: 'No changes', about: 'These prices change nothing for any customer.' }}
        />
      )}
    </div>
  )
}
