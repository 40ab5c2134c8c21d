import { useQuery } from '@tanstack/react-query'
import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { ApiError } from '../lib/http/api-error.ts'
import { loadSettings } from '../lib/settings.ts'
import { stateNames } from './features/customers/state-badge.tsx'
import { readDeliverySearch } from './features/delivery/search.ts'
import { readFinanceSearch } from './features/finance/search.ts'
import { readPaymentsSearch } from './features/payments/search.ts'
import { Frame } from './layout/frame.tsx'
import { sessionQuery } from './lib/api.ts'
import { Loaded } from './ui/loaded.tsx'

type Given = Record<string, unknown>

const root = createRootRoute({
  validateSearch: ({ sort }: Given): { sort?: string } => (typeof sort === 'string' ? { sort } : {}),
  loader: () => loadSettings(),
  staleTime: Number.POSITIVE_INFINITY,
  component: Root,
})

function Root() {
  const session = useQuery(sessionQuery)
  // The session has ended: an operator gets a new one after signing in.
  if (session.error instanceof ApiError && session.error.status === 404) location.replace('/login?next=/operator')
  if (!session.data)
    return (
      <main className="mx-auto max-w-xl p-8">
        <Loaded query={session} what="console" bars={['h-8 w-1/2', 'h-40']} />
      </main>
    )
  return (
    <Frame>
      <Outlet />
    </Frame>
  )
}

type Parts = Record<string, ComponentType>
const nothing = () => ({}) as never

/** A page: its code is loaded when it is opened. `keeps`: what its address has of the view; else is left out. */
const page = <const P extends string, M extends Parts, S extends object = object>(
  path: P,
  load: () => Promise<M>,
  name: keyof M & string,
  keeps: (given: Given) => S = nothing,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name), validateSearch: keeps })

const customer = page('/customers/$id', () => import('./features/customers/customer-layout.tsx'), 'CustomerLayout')

const tab = <const P extends string, M extends Parts, S extends object = object>(
  path: P,
  load: () => Promise<M>,
  name: keyof M & string,
  keeps: (given: Given) => S = nothing,
) =>
  createRoute({
    getParentRoute: () => customer,
    path,
    component: lazyRouteComponent(load, name),
    validateSearch: keeps,
  })

/** The value if it is one of these. */
const oneOf = <K extends string, V extends string>(key: K, values: readonly V[], given: Given) =>
  (values.includes(given[key] as V) ? { [key]: given[key] } : {}) as { [P in K]?: V }
const text = <K extends string>(key: K, given: Given, form = /./) =>
  (typeof given[key] === 'string' && form.test(given[key]) ? { [key]: given[key].slice(0, 8_000) } : {}) as {
    [P in K]?: string
  }
const ages = ['1d', '7d', '30d'] as const
const states = (Object.keys(stateNames) as (keyof typeof stateNames)[]).filter((state) => state !== 'deleted')

export const routeTree = root.addChildren([
  page('/', () => import('./features/today/today-page.tsx'), 'TodayPage'),
  page(
    '/customers',
    () => import('./features/customers/customers-page.tsx'),
    'CustomersPage',
    (given) => ({
      ...text('plan', given),
      ...oneOf('state', states, given),
      ...oneOf('new', ages, given),
    }),
  ),
  customer.addChildren([
    tab('/', () => import('./features/customers/overview-tab.tsx'), 'OverviewTab'),
    tab('/ledger', () => import('./features/customers/ledger-tab.tsx'), 'LedgerTab'),
    tab('/keys', () => import('./features/customers/keys-tab.tsx'), 'KeysTab'),
    tab(
      '/calls',
      () => import('./features/customers/calls-tab.tsx'),
      'CallsTab',
      (given) => oneOf('status', ['success', 'failed'], given),
    ),
    tab('/invoices', () => import('./features/customers/invoices-tab.tsx'), 'InvoicesTab'),
    tab('/people', () => import('./features/customers/people-tab.tsx'), 'PeopleTab'),
    tab('/limits', () => import('./features/customers/limits-tab.tsx'), 'LimitsTab'),
    tab('/webhooks', () => import('./features/customers/webhooks-tab.tsx'), 'WebhooksTab'),
    tab('/timeline', () => import('./features/customers/timeline-tab.tsx'), 'TimelineTab'),
  ]),
  page('/receipts/$id', () => import('./features/customers/receipt-page.tsx'), 'ReceiptPage'),
  page('/products', () => import('./features/products/products-page.tsx'), 'ProductsPage'),
  page(
    '/products/new',
    () => import('./features/products/new-product-page.tsx'),
    'NewProductPage',
    (given) => oneOf('kind', ['plan', 'pack'], given),
  ),
  page('/products/prices', () => import('./features/products/tool-prices-page.tsx'), 'ToolPricesPage'),
  page(
    '/products/simulate',
    () => import('./features/products/simulator-page.tsx'),
    'SimulatorPage',
    (given) => text('prices', given, /^\w+:\d+(,\w+:\d+)*$/),
  ),
  page(
    '/products/$id',
    () => import('./features/products/product-page.tsx'),
    'ProductPage',
    (given) => oneOf('tab', ['prices', 'history'], given),
  ),
  page('/supply/upstreams', () => import('./features/supply/upstreams-page.tsx'), 'UpstreamsPage'),
  page('/supply/upstreams/new', () => import('./features/supply/editor/edit-upstream-page.tsx'), 'NewUpstreamPage'),
  page(
    '/supply/upstreams/$id',
    () => import('./features/supply/upstream-page.tsx'),
    'UpstreamPage',
    ({ version }): { version?: number } =>
      Number.isSafeInteger(version) && Number(version) > 0 ? { version: Number(version) } : {},
  ),
  page(
    '/supply/upstreams/$id/edit',
    () => import('./features/supply/editor/edit-upstream-page.tsx'),
    'EditUpstreamPage',
  ),
  page('/supply/datasets', () => import('./features/datasets/datasets-page.tsx'), 'DatasetsPage'),
  page('/shop', () => import('./features/shop/shop-page.tsx'), 'ShopPage'),
  page('/delivery', () => import('./features/delivery/delivery-page.tsx'), 'DeliveryPage', readDeliverySearch),
  page('/payments', () => import('./features/payments/payments-page.tsx'), 'PaymentsPage', readPaymentsSearch),
  page('/payments/$id', () => import('./features/payments/payment-page.tsx'), 'PaymentPage'),
  page(
    '/health',
    () => import('./features/health/health-page.tsx'),
    'HealthPage',
    (given) => text('tab', given),
  ),
  page('/finance/revenue', () => import('./features/finance/revenue-page.tsx'), 'RevenuePage'),
  page('/finance/credits', () => import('./features/finance/credits-page.tsx'), 'CreditsPage', readFinanceSearch),
  page('/finance/refunds', () => import('./features/finance/refunds-page.tsx'), 'RefundsPage'),
  page('/finance/taxes', () => import('./features/finance/taxes-page.tsx'), 'TaxesPage', readFinanceSearch),
  page('/finance/journal', () => import('./features/finance/journal-page.tsx'), 'JournalPage', readFinanceSearch),
  page('/operators', () => import('./features/operators/operators-page.tsx'), 'OperatorsPage'),
  page('/audit', () => import('./features/log/audit-page.tsx'), 'AuditPage'),
])
