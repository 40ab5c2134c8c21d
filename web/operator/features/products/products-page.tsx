import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { count, money } from '../../lib/format.ts'
import { useRole } from '../../lib/use-role.ts'
import { type Columns, col } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { priceText } from './field-text.ts'
import { ProductBadges } from './product-badges.tsx'
import { type Product, productsQuery } from './product-data.ts'
import { revenueText } from './revenue-text.ts'
import { SubNavigation } from './sub-navigation.tsx'

/** Everything that is sold, with its customers and recurring revenue. */
export function ProductsPage() {
  const products = useQuery(productsQuery)
  const drafts = useRole('owner', 'finance')
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
      {products.data?.sells === false && (
        <Notice tone="warning">
          No payment provider is set up, so only the free plan is offered and nothing can be published. Set
          STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.
        </Notice>
      )}
      <Loaded query={products} what="products" bars={['h-24', 'h-64']}>
        {({ mrr, products: all }) => (
          <>
            {mrr && (
              <Card
                title="Monthly recurring revenue"
                about="Current prices of active plans, and of plans whose payment is less than seven days late. A yearly price counts one twelfth. Excludes trials, packs and pay-as-you-go."
              >
                <p className="text-title font-strong figures">
                  {mrr.map(({ currency, cents }) => money(cents, currency)).join(' and ') || money(0)}
                </p>
              </Card>
            )}
            <List
              title="All products"
              label="Products"
              rows={all.flatMap(linesOf)}
              columns={columnsOf(mrr !== undefined)}
              keyOf={({ product, price }) => `${product.id} ${price?.id}`}
              empty={{
                title: 'No products yet',
                about: 'Plans and packs appear here after you save or publish a draft.',
              }}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

interface Line {
  product: Product
  price: Product['prices'][number] | undefined
  /** The line of the product itself; its other prices follow. */
  first: boolean
}

/** A line for the product, and one for each other price. */
const linesOf = (product: Product): Line[] =>
  (product.prices.length > 0 ? product.prices : [undefined]).map((price, at) => ({ product, price, first: at === 0 }))

const kinds = { plan: 'Plan', payg: 'Pay-as-you-go', pack: 'Credit pack' } as const

const columnsOf = (revenue: boolean): Columns<Line> => [
  col('Product', 'rest', ({ product, price, first }) =>
    first ? (
      <>
        <div className="flex flex-wrap items-center gap-2">
          <Link
            to="/products/$id"
            params={{ id: product.id }}
            className="font-strong [overflow-wrap:anywhere] underline-offset-4 hover:underline"
          >
            {product.name}
          </Link>
          <ProductBadges product={product} />
        </div>
        <p className="text-small text-muted">
          {price && !price.on_sale ? `${kinds[product.kind]}, old price` : kinds[product.kind]}
        </p>
      </>
    ) : (
      <span className="pl-4 text-muted">{price?.on_sale ? 'Paid yearly' : 'Old price, for existing customers'}</span>
    ),
  ),
  col(
    'Price',
    'figure',
    ({ product: { free, currency }, price }) => price && (free && price.on_sale ? 'Free' : priceText(price, currency)),
  ),
  col(
    'Credits',
    'figure',
    ({ product, price }) => price && product.kind !== 'payg' && (price.unlimited ? 'Unlimited' : count(price.credits)),
  ),
  col(
    'Customers',
    'figure',
    ({ product, price }) =>
      price &&
      product.kind !== 'pack' && (
        <>
          {count(price.subscribers)}
          {price.trials > 0 && <span className="text-muted"> ({count(price.trials)} in trial)</span>}
        </>
      ),
  ),
  revenue &&
    col(
      'Monthly revenue',
      'figure',
      ({ product: { kind, free, currency }, price }) =>
        price?.mrr && kind === 'plan' && !free && revenueText(price.mrr, currency),
    ),
]
