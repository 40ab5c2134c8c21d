import { stablecoin } from '#contract/currency.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { amount, type Columns } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ChartCard } from '../charts/chart-card.tsx'
import { colors } from '../charts/series.ts'
import { RecurringCards } from './recurring-cards.tsx'
import { Until } from './until.tsx'

type Revenue = Data<'GET /finance/revenue'>
type Row = Revenue['rows'][number]

/** Receipts by month and source, and recurring revenue. */
export function RevenuePage() {
  const revenue = useRead('GET /finance/revenue', { query: { months: 24 } })
  const recurring = useRead('GET /finance/recurring')
  return (
    <>
      <PageHeader title="Revenue" about="Money received, by month (UTC), currency and product." />
      <Loaded query={recurring} what="recurring revenue" bars={['h-36']}>
        {(data) => <RecurringCards recurring={data} />}
      </Loaded>
      <Loaded query={revenue} what="revenue" bars={['h-64', 'h-40']}>
        {(data) => <Receipts revenue={data} />}
      </Loaded>
    </>
  )
}

const kinds = [
  { name: 'Plans', color: colors.main, has: (source: string) => source.startsWith('plan:') },
  { name: 'Packs', color: colors.warn, has: (source: string) => source === 'pack' },
  {
    name: 'Pay-as-you-go and corrections',
    color: colors.quiet,
    has: (source: string) => source === 'payg' || source === 'other',
  },
]

/** What agents pay is a currency of its own. */
const agentKinds = [
  { name: 'Calls', color: colors.main, has: (source: string) => source === 'agent_call' },
  { name: 'Balances', color: colors.warn, has: (source: string) => source === 'agent_balance' },
]

function Receipts({ revenue: { rows, until } }: { revenue: Revenue }) {
  const months = [...new Set(rows.map(({ month }) => month))].sort()
  return (
    <>
      {[...Map.groupBy(rows, currencyOf)].map(([currency, own]) => (
        <ChartCard
          key={currency}
          title={`Net payments by month, ${currency.toUpperCase()}`}
          about="Payments minus refunds and disputes, without tax. The current month is not over."
          look="columns"
          head="Month (UTC)"
          points={months.map((month) => ({ shown: month, raw: month }))}
          series={(currency === stablecoin ? agentKinds : kinds).map(({ has, ...kind }) => ({
            ...kind,
            values: months.map((month) =>
              own.reduce((sum, row) => sum + (row.month === month && has(row.source) ? row.net : 0), 0),
            ),
          }))}
          format={(cents) => money(cents, currency)}
          fileName={`payments-by-month-${currency}.csv`}
          empty={{ title: 'No payments yet', about: 'Paid plans and packs appear here.' }}
        />
      ))}
      <List
        title="Payments by month"
        about="Received: what customers paid, on the date that it arrived here. Tax has a line of its own. USDC is what agents paid on a chain; its amounts in the CSV file are millionths. Disputed: held by an open dispute or lost; a won dispute brings it back. Net: received minus refunded and disputed."
        rows={rows}
        columns={columns}
        keyOf={(row) => `${row.month} ${row.currency} ${row.source}`}
        sorts
        csv="payments.csv"
        empty={{ title: 'No payments in the last 24 months', about: 'Paid plans and packs appear here by month.' }}
      />
      <Until until={until} />
    </>
  )
}

const currencyOf = ({ currency }: Row) => currency
const columns: Columns<Row> = [
  { head: 'Month (UTC)', look: 'line', value: ({ month }) => month, csv: 'month' },
  { head: 'Currency', value: currencyOf, cell: ({ currency }) => currency.toUpperCase(), csv: 'currency' },
  { head: 'From', look: 'name', value: ({ label }) => label, csv: 'source' },
  amount('Received', (row) => row.received, currencyOf, { csv: 'received' }),
  amount('Refunded', (row) => row.refunded, currencyOf, { csv: 'refunded' }),
  amount('Disputed', (row) => row.disputed, currencyOf, { csv: 'disputed' }),
  amount('Net', (row) => row.net, currencyOf, { csv: 'net' }),
]
