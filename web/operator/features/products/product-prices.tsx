import { count } from '../../lib/format.ts'
import { type Columns, col, summed } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { priceText } from './field-text.ts'
import type { Product, ProductDetail } from './product-data.ts'
import { revenueText } from './revenue-text.ts'

type Price = Product['prices'][number]

/** The prices of a product with their customers: on sale first, then old ones that customers still have. */
export function ProductPrices({ detail: { product, open_checkouts: open } }: { detail: ProductDetail }) {
  const { prices, currency, kind } = product
  const columns: Columns<Price> = [
    col('Price', 'line', (price) => priceText(price, currency)),
    col('State', (price) => (price.on_sale ? 'On sale' : 'Ended')),
    kind !== 'payg' && col('Credits', 'figure', (price) => (price.unlimited ? 'Unlimited' : count(price.credits))),
    kind !== 'pack' && summed('Customers', (price: Price) => price.subscribers),
    kind !== 'pack' && summed('In trial', (price: Price) => price.trials),
    kind === 'plan' &&
      prices.some(({ mrr }) => mrr) &&
      col('Monthly revenue', 'figure', ({ mrr }) => mrr && revenueText(mrr, currency)),
    col('Provider ID', 'code', ({ id }) => id),
  ]
  return (
    <List
      title="Prices and customers"
      label="Prices"
      about="Customers: active, in a trial, or with a payment less than seven days late. Monthly revenue: without trials; a yearly price counts one twelfth."
      rows={prices}
      columns={columns}
      empty={{ title: 'No prices yet', about: 'Prices appear here after the product is published.' }}
      footer={open > 0 && `Open checkouts: ${count(open)}.`}
    />
  )
}
