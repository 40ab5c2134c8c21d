import { Card } from '../../../ui/card.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, money } from '../../lib/format.ts'
import type { Simulation } from './simulator-page.tsx'

/** What both prices bring, how many customers would pay more, and those whose cost would change most. */
export function SimulatorResult({ data }: { data: Simulation }) {
  const { totals, biggest, currency, pack, month, days, days_summed } = data
  const signed = (cents: number) => `${cents > 0 ? '+' : ''}${money(cents, currency)}`
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
        <Table
          label="Totals"
          head={
            <>
              <HeadCell>Of {month}</HeadCell>
              <HeadCell align="right">At current prices</HeadCell>
              <HeadCell align="right">Simulated</HeadCell>
              <HeadCell align="right">Difference</HeadCell>
            </>
          }
        >
          <tr>
            <Cell>Credits</Cell>
            <Cell align="right">{count(totals.credits)}</Cell>
            <Cell align="right">{count(totals.simulated_credits)}</Cell>
            <Cell align="right">{count(totals.simulated_credits - totals.credits)}</Cell>
          </tr>
          <tr>
            <Cell>Money</Cell>
            <Cell align="right">{money(totals.cents, currency)}</Cell>
            <Cell align="right">{money(totals.simulated_cents, currency)}</Cell>
            <Cell align="right">{signed(totals.simulated_cents - totals.cents)}</Cell>
          </tr>
          <tr>
            <Cell className="min-w-[14ch]">Customers who pay more</Cell>
            <Cell />
            <Cell align="right">{count(totals.pay_more)}</Cell>
            <Cell align="right">of {count(totals.customers)}</Cell>
          </tr>
          <tr>
            <Cell>Customers who pay less</Cell>
            <Cell />
            <Cell align="right">{count(totals.pay_less)}</Cell>
            <Cell align="right">of {count(totals.customers)}</Cell>
          </tr>
        </Table>
      </Card>
      <Card
        title="Biggest changes"
        about="The ten customers whose cost would change the most."
        flush={biggest.length > 0}
      >
        {biggest.length === 0 ? (
          <p className="text-muted">These prices change nothing for any customer.</p>
        ) : (
          <Table
            label="Biggest changes"
            head={
              <>
                <HeadCell>Customer</HeadCell>
                <HeadCell align="right">Credits</HeadCell>
                <HeadCell align="right">New credits</HeadCell>
                <HeadCell align="right">Cost</HeadCell>
                <HeadCell align="right">New cost</HeadCell>
              </>
            }
          >
            {biggest.map((one) => (
              <tr key={one.account_id}>
                <Cell className="[overflow-wrap:anywhere]">
                  {one.name}
                  <p className="text-small text-muted">{one.plan ?? 'No plan'}</p>
                </Cell>
                <Cell align="right">{count(one.credits)}</Cell>
                <Cell align="right">{count(one.simulated_credits)}</Cell>
                <Cell align="right">{money(one.cents, currency)}</Cell>
                <Cell align="right">
                  {money(one.simulated_cents, currency)}
                  <p className="text-small text-muted">{signed(one.simulated_cents - one.cents)}</p>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </div>
  )
}
