import { Link, useSearch } from '@tanstack/react-router'
import type { CustomerFilter, CustomerLine } from '#contract/operator/customers.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { usePages, useRead } from '../../lib/read.ts'
import { type Columns, col, shownOr, summed, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { CustomerMenu } from '../acts/customer-acts.tsx'
import { CsvButton } from './csv-button.tsx'
import { customerName, customerNote } from './customer-name.ts'
import { FilterChips } from './filter-chips.tsx'
import { StateBadge } from './state-badge.tsx'

/** Customers, newest first, by filters that the address keeps. */
export function CustomersPage() {
  const { plan, state, new: age }: CustomerFilter = useSearch({ strict: false })
  const filter = { ...(plan && { plan }), ...(state && { state }), ...(age && { new: age }) }
  const query = usePages('GET /customers', { query: filter })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <PageHeader title="Customers" about="All workspaces, newest first. Days and times are UTC." />
      <List
        title="Customers"
        query={query}
        what="customers"
        rows={query.data?.pages.flatMap(({ customers }) => customers) ?? []}
        columns={columns}
        aside={<CsvButton filter={filter} />}
        filters={
          <>
            <FilterChips filter={filter} plans={query.data?.pages[0]?.plans ?? []} />
            <Totals filter={filter} />
          </>
        }
        empty={
          isFiltered
            ? { title: 'No matching customers', about: 'Remove a filter to see more customers.' }
            : {
                title: 'No customers yet',
                about: 'Each workspace appears here after its owner signs up, with or without a plan.',
              }
        }
        footer={
          <p className="text-small">
            Burned: credits and pay-as-you-go units in the last 30 days, including today. Paid: invoices paid on those
            days, before refunds. Last call: the day of the last call that was answered.
          </p>
        }
      />
    </>
  )
}

/** Of all customers that match, on every page of the list. */
function Totals({ filter }: { filter: CustomerFilter }) {
  const { data } = useRead('GET /customers-totals', { query: filter }, { keep: true })
  // The line keeps its place while it loads.
  return (
    <p role="status" className="min-h-5 box-content px-5 pb-4 text-small text-muted">
      {data && totalsText(data)}
    </p>
  )
}

function totalsText({ customers, balance, paid_30_days: paid }: Data<'GET /customers-totals'>): string {
  if (customers === null || balance === null)
    return 'More than 10,000 customers match. Up to that many, their sums are shown here.'
  const parts = [
    customers === 1 ? '1 customer matches' : `${count(customers)} customers match`,
    `${count(balance)} credits outstanding`,
    paid && `${sumsOf(paid)} paid in 30 days`,
  ]
  return parts.filter(Boolean).join(' · ')
}

type Sums = CustomerLine['paid_30_days']

/** By currency. */
const sumsOf = (sums: Sums): string =>
  [...Map.groupBy(sums, ({ currency }) => currency)]
    .map(([currency, own]) =>
      money(
        own.reduce((sum, { cents }) => sum + cents, 0),
        currency,
      ),
    )
    .join(', ') || money(0)

const paidIn30Days = (lines: readonly CustomerLine[]): string => sumsOf(lines.flatMap((line) => line.paid_30_days))

const columns: Columns<CustomerLine> = [
  col('Customer', 'name', (line) => (
    <>
      <Link to="/customers/$id" params={{ id: line.id }} className="block truncate font-strong hover:underline">
        <bdi>{customerName(line)}</bdi>
      </Link>
      <p className="truncate text-small text-muted">
        <bdi>{customerNote(line)}</bdi>
      </p>
    </>
  )),
  col('Plan', 'line', ({ plan }) => shownOr(plan, 'None')),
  col('State', ({ state }) => <StateBadge state={state} />),
  {
    ...summed('Balance', ({ balance, unlimited }) => (unlimited ? 0 : balance)),
    cell: ({ balance, unlimited }) => (unlimited ? 'Unlimited' : balance.toLocaleString('en-US')),
  },
  summed('Burned (30 days)', (line) => line.burned_30_days),
  { head: 'Paid (30 days)', look: 'figure', cell: (line) => paidIn30Days([line]), total: paidIn30Days },
  col('Last call', 'line', (line) => shownOr(line.last_call_day, 'Never')),
  time('Created', (line) => line.created_at),
  col('Actions', (line) => <CustomerMenu customer={line} />),
]
