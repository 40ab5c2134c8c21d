import { Link, Outlet } from '@tanstack/react-router'
import { ApiError } from '../../../lib/http/api-error.ts'
import { CopyButton } from '../../../ui/copy/copy-button.tsx'
import { usePageHeading } from '../../../ui/page-header.tsx'
import { MissingPage } from '../../layout/missing-page.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { CustomerActs } from '../acts/customer-acts.tsx'
import { customerName, customerNote } from './customer-name.ts'
import { StateBadge } from './state-badge.tsx'

const tabs = [
  { to: '/customers/$id', label: 'Overview' },
  { to: '/customers/$id/ledger', label: 'Ledger' },
  { to: '/customers/$id/keys', label: 'Keys' },
  { to: '/customers/$id/calls', label: 'Calls' },
  { to: '/customers/$id/invoices', label: 'Invoices' },
  { to: '/customers/$id/people', label: 'People' },
  { to: '/customers/$id/limits', label: 'Limits' },
  { to: '/customers/$id/webhooks', label: 'Webhooks' },
  { to: '/customers/$id/timeline', label: 'Timeline' },
] as const

/** A customer's header and tabs; each tab is an address. */
export function CustomerLayout() {
  const id = useRouteId()
  const query = useRead('GET /customers/{id}', { params: { id } })
  if (query.error instanceof ApiError && query.error.status === 404) return <MissingPage />
  return (
    <Loaded query={query} what="customer" bars={['h-8 w-1/2', 'h-5 w-2/3', 'h-64']}>
      {(customer) => (
        <>
          <Header customer={customer} />
          <nav aria-label="Customer" className="-mx-1 overflow-x-auto border-b border-line px-1">
            <ul className="flex gap-1 pb-2">
              {tabs.map(({ to, label }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ id }}
                    activeOptions={{ exact: true, includeSearch: false }}
                    className="flex h-8 items-center rounded-control px-2.5 whitespace-nowrap text-muted transition-colors duration-150 hover:text-ink pointer-coarse:h-11 aria-[current=page]:bg-hover aria-[current=page]:font-strong aria-[current=page]:text-ink"
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Outlet />
        </>
      )}
    </Loaded>
  )
}

function Header({ customer }: { customer: Data<'GET /customers/{id}'> }) {
  const heading = usePageHeading(customerName(customer))
  const facts = [
    customerNote(customer),
    customer.plan ? `${customer.plan}${customer.plan_state === 'active' ? '' : `, ${customer.plan_state}`}` : 'No plan',
    customer.unlimited ? 'Unlimited credits' : `${count(customer.balance)} credits`,
    `Customer since ${utcTime(customer.created_at).slice(0, 10)}`,
  ]
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 ref={heading} tabIndex={-1} className="min-w-0 text-title font-strong [overflow-wrap:anywhere]">
            <bdi>{customerName(customer)}</bdi>
          </h1>
          <StateBadge state={customer.state} />
        </div>
        <p className="mt-0.5 text-muted">{facts.join(' · ')}</p>
        <p className="flex items-center gap-1 text-small text-muted">
          <code className="font-mono [overflow-wrap:anywhere]">{customer.id}</code>
          <CopyButton value={customer.id} label="Copy the customer's ID" done="Customer ID copied" />
        </p>
        {customer.suspended_at && (
          <p className="text-danger">Suspended since {utcTime(customer.suspended_at)} UTC: every call is refused.</p>
        )}
        {customer.deletion_due_at && (
          <p className="text-warning">Will be deleted on {utcTime(customer.deletion_due_at).slice(0, 10)} UTC.</p>
        )}
      </div>
      <CustomerActs customer={customer} />
    </div>
  )
}
