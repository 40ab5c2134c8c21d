import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { sessionQuery } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { priceText } from './field-text.ts'
import { ProductBadges } from './product-badges.tsx'
import { type Product, productsQuery } from './product-data.ts'
import { SubNavigation } from './sub-navigation.tsx'

/** Everything that is sold, with its customers and recurring revenue. */
export function ProductsPage() {
  const { data: session } = useQuery(sessionQuery)
  const products = useQuery(productsQuery)
  const { data } = products
  const drafts = session?.role === 'owner' || session?.role === 'finance'
  return (
    <>
      <PageHeader
        title="Products"
        about="Plans, pay-as-you-go and credit packs, with their prices and customers."
        action={
          drafts && (
            <div className="flex gap-2">
              <Link to="/products/new" search={{ kind: 'pack' }} className={buttonClass()}>
                New pack
              </Link>
              <Link to="/products/new" search={{ kind: 'plan' }} className={buttonClass({ look: 'primary' })}>
                New plan
              </Link>
            </div>
          )
        }
      />
      <SubNavigation />
      {data?.sells === false && (
        <p role="status" className="rounded-card border border-warning-line bg-warning-soft px-5 py-3 text-warning">
          No payment provider is set up, so only the free plan is offered and nothing can be published. Set
          STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.
        </p>
      )}
      <Card
        title="Monthly recurring revenue"
        about="Current prices of active plans, and of plans whose payment is less than seven days late. A yearly price counts one twelfth. Excludes trials, packs and pay-as-you-go."
      >
        <QueryState
          query={products}
          loading="Loading the products"
          bars={['h-8 w-32']}
          failed="The products could not be loaded."
        />
        {data && (
          <p className="text-title font-strong figures">
            {data.mrr.length > 0
              ? data.mrr.map(({ currency, cents }) => money(cents, currency)).join(' and ')
              : money(0)}
          </p>
        )}
      </Card>
      {data && (
        <Card title="All products" flush={data.products.length > 0}>
          {data.products.length === 0 ? (
            <EmptyState
              title="No products yet"
              about="Plans and packs appear here after you save or publish a draft."
            />
          ) : (
            <Table
              label="Products"
              head={
                <>
                  <HeadCell>Product</HeadCell>
                  <HeadCell align="right">Price</HeadCell>
                  <HeadCell align="right">Credits</HeadCell>
                  <HeadCell align="right">Customers</HeadCell>
                  <HeadCell align="right">Monthly revenue</HeadCell>
                </>
              }
            >
              {data.products.map((product) => (
                <ProductRows key={product.id} product={product} />
              ))}
            </Table>
          )}
        </Card>
      )}
    </>
  )
}

const kinds = { plan: 'Plan', payg: 'Pay-as-you-go', pack: 'Credit pack' } as const

/** A row for the product, and one for each of its prices. */
function ProductRows({ product }: { product: Product }) {
  const { id, name, kind, currency, prices, free } = product
  const [first, ...rest] = prices
  const cells = (price: Product['prices'][number] | undefined) => (
    <>
      <Cell align="right" className="whitespace-nowrap">
        {price && (free && price.on_sale ? 'Free' : priceText(price, currency))}
      </Cell>
      <Cell align="right" className="whitespace-nowrap">
        {price && kind !== 'payg' && (price.unlimited ? 'Unlimited' : count(price.credits))}
      </Cell>
      <Cell align="right">
        {price && kind !== 'pack' && (
          <>
            {count(price.subscribers)}
            {price.trials > 0 && <span className="text-muted"> ({count(price.trials)} in trial)</span>}
          </>
        )}
      </Cell>
      <Cell align="right">{price && kind === 'plan' && !free && money(price.mrr_cents, currency)}</Cell>
    </>
  )
  return (
    <>
      <tr>
        <Cell>
          <div className="flex flex-wrap items-center gap-2">
            <Link
              to="/products/$id"
              params={{ id }}
              className="font-strong [overflow-wrap:anywhere] underline-offset-4 hover:underline"
            >
              {name}
            </Link>
            <ProductBadges product={product} />
          </div>
          <p className="text-small text-muted">{first && !first.on_sale ? `${kinds[kind]}, old price` : kinds[kind]}</p>
        </Cell>
        {cells(first)}
      </tr>
      {rest.map((price) => (
        <tr key={price.id}>
          <Cell className="pl-9! text-muted">
            {price.on_sale ? 'Paid yearly' : 'Old price, for existing customers'}
          </Cell>
          {cells(price)}
        </tr>
      ))}
    </>
  )
}
