import { useQuery } from '@tanstack/react-query'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { call, type Data } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { colors } from '../charts/series.ts'
import { FinanceTable } from './finance-table.tsx'
import { RecurringCards } from './recurring-cards.tsx'
import { Until } from './until.tsx'

type Revenue = Data<'GET /finance/revenue'>

/** Receipts by month and source, and recurring revenue. */
export function RevenuePage() {
  const revenue = useQuery({
    queryKey: ['operator', 'finance', 'revenue'],
    queryFn: ({ signal }) => call('GET /finance/revenue', { signal, query: { months: 24 } }),
  })
  const recurring = useQuery({
    queryKey: ['operator', 'finance', 'recurring'],
    queryFn: ({ signal }) => call('GET /finance/recurring', { signal }),
  })
  return (
    <>
      <PageHeader title="Revenue" about="Money received, by month (UTC), currency and product." />
      <QueryState
        query={recurring}
        loading="Loading recurring revenue"
        bars={['h-36']}
        failed="Recurring revenue could not be loaded."
      />
      {recurring.data && <RecurringCards recurring={recurring.data} />}
      <QueryState
        query={revenue}
        loading="Loading revenue"
        bars={['h-64', 'h-40']}
        failed="Revenue could not be loaded."
      />
      {revenue.data && <Receipts revenue={revenue.data} />}
    </>
  )
}

function Receipts({ revenue: { rows, until } }: { revenue: Revenue }) {
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  const months = [...new Set(rows.map(({ month }) => month))].sort()
  const sum = (month: string, currency: string, kind: (source: string) => boolean) =>
    rows
      .filter((row) => row.month === month && row.currency === currency && kind(row.source))
      .reduce((total, { net }) => total + net, 0)
  const kinds = [
    { name: 'Plans', color: colors.main, kind: (source: string) => source.startsWith('plan:') },
    { name: 'Packs', color: colors.warn, kind: (source: string) => source === 'pack' },
    {
      name: 'Pay-as-you-go and corrections',
      color: colors.quiet,
      kind: (source: string) => source === 'payg' || source === 'other',
    },
  ]
  return (
    <>
      {currencies.map((currency) => (
        <ChartCard
          key={currency}
          title={`Net payments by month, ${currency.toUpperCase()}`}
          about="Payments minus refunds and disputes, without tax. The current month is not over."
          look="columns"
          head="Month (UTC)"
          points={months.map((month) => ({ shown: month, raw: month }))}
          series={kinds.map(({ name, color, kind }) => ({
            name,
            color,
            values: months.map((month) => sum(month, currency, kind)),
          }))}
          format={(cents) => money(cents, currency)}
          fileName={`payments-by-month-${currency}.csv`}
          empty={{ title: 'No payments yet', about: 'Paid plans and packs appear here.' }}
        />
      ))}
      <FinanceTable
        title="Payments by month"
        about="Received: what customers paid, on the date that it arrived here. Tax has a line of its own. Disputed: held by an open dispute or lost; a won dispute brings it back. Net: received minus refunded and disputed."
        heads={['Month (UTC)', 'Currency', 'From', 'Received', 'Refunded', 'Disputed', 'Net']}
        names={3}
        csvHeads={['month', 'currency', 'source', 'received', 'refunded', 'disputed', 'net']}
        rows={rows.map((row) => ({
          key: `${row.month} ${row.currency} ${row.source}`,
          shown: [
            row.month,
            row.currency.toUpperCase(),
            row.label,
            ...[row.received, row.refunded, row.disputed, row.net].map((cents) => money(cents, row.currency)),
          ],
          raw: [row.month, row.currency, row.label, row.received, row.refunded, row.disputed, row.net],
        }))}
        fileName="payments.csv"
        empty={{ title: 'No payments in the last 24 months', about: 'Paid plans and packs appear here by month.' }}
      />
      <Until until={until} />
    </>
  )
}
