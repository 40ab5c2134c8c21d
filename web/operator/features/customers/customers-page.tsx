import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CustomerFilter, CustomerLine } from '#contract/operator/customers.ts'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, money, utcTime } from '../../lib/format.ts'
import { CsvButton } from './csv-button.tsx'
import { customerName, customerNote } from './customer-name.ts'
import { FilterChips } from './filter-chips.tsx'
import { customersQuery } from './queries.ts'
import { ShowMore } from './show-more.tsx'
import { StateBadge } from './state-badge.tsx'

/** Customers, newest first, by filters that the address keeps. */
export function CustomersPage({ filter }: { filter: CustomerFilter }) {
  const query = useInfiniteQuery(customersQuery(filter))
  const lines = query.data?.pages.flatMap(({ customers }) => customers) ?? []
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <>
      <PageHeader title="Customers" about="All workspaces, newest first. Days and times are UTC." />
      <Card
        title="Customers"
        flush
        aside={<CsvButton filter={filter} />}
        footer={
          <p className="text-small">
            Burned: credits and pay-as-you-go units in the last 30 days, including today. Paid: invoices paid on those
            days, before refunds. Last call: the day of the last call that was answered.
          </p>
        }
      >
        <FilterChips filter={filter} plans={query.data?.pages[0]?.plans ?? []} />
        <div className="px-5">
          <QueryState
            query={query}
            loading="Loading the customers"
            bars={['h-9', 'h-9', 'h-9', 'h-9']}
            failed="The customers could not be loaded."
          />
        </div>
        {query.data && lines.length === 0 && (
          <EmptyState
            title={isFiltered ? 'No matching customers' : 'No customers yet'}
            about={
              isFiltered
                ? 'Remove a filter to see more customers.'
                : 'Each workspace appears here after its owner signs up, with or without a plan.'
            }
          />
        )}
        {lines.length > 0 && <Lines lines={lines} />}
        <ShowMore query={query} label="Show older customers" />
      </Card>
    </>
  )
}

const Lines = ({ lines }: { lines: readonly CustomerLine[] }) => (
  <Table
    label="Customers"
    head={
      <>
        <HeadCell>Customer</HeadCell>
        <HeadCell>Plan</HeadCell>
        <HeadCell>State</HeadCell>
        <HeadCell align="right">Balance</HeadCell>
        <HeadCell align="right">Burned (30 days)</HeadCell>
        <HeadCell align="right">Paid (30 days)</HeadCell>
        <HeadCell>Last call</HeadCell>
        <HeadCell>Created</HeadCell>
      </>
    }
  >
    {lines.map((line) => (
      <tr key={line.id}>
        <Cell className="max-w-[34ch] min-w-[20ch]">
          <Link to="/customers/$id" params={{ id: line.id }} className="block truncate font-strong hover:underline">
            <bdi>{customerName(line)}</bdi>
          </Link>
          <p className="truncate text-small text-muted">
            <bdi>{customerNote(line)}</bdi>
          </p>
        </Cell>
        <Cell className="whitespace-nowrap">{line.plan ?? <span className="text-muted">None</span>}</Cell>
        <Cell>
          <StateBadge state={line.state} />
        </Cell>
        <Cell align="right">{line.unlimited ? 'Unlimited' : count(line.balance)}</Cell>
        <Cell align="right">{count(line.burned_30_days)}</Cell>
        <Cell align="right">
          {line.paid_30_days.map(({ currency, cents }) => money(cents, currency)).join(', ') || money(0)}
        </Cell>
        <Cell className="whitespace-nowrap">{line.last_call_day ?? <span className="text-muted">Never</span>}</Cell>
        <Cell className="whitespace-nowrap text-muted">{utcTime(line.created_at)}</Cell>
      </tr>
    ))}
  </Table>
)
