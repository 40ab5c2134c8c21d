import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, money } from '../../lib/format.ts'
import { priceText } from './field-text.ts'
import type { ProductDetail } from './product-data.ts'

/** The prices of a product with their customers: on sale first, then old ones that customers still have. */
export function ProductPrices({ detail: { product, open_checkouts } }: { detail: ProductDetail }) {
  const { prices, currency, kind } = product
  return (
    <Card
      title="Prices and customers"
      about="Customers: active, in a trial, or with a payment less than seven days late. Monthly revenue: without trials; a yearly price counts one twelfth."
      flush={prices.length > 0}
      footer={open_checkouts > 0 && `Open checkouts: ${count(open_checkouts)}.`}
    >
      {prices.length === 0 ? (
        <EmptyState title="No prices yet" about="Prices appear here after the product is published." />
      ) : (
        <Table
          label="Prices"
          head={
            <>
              <HeadCell>Price</HeadCell>
              <HeadCell>State</HeadCell>
              <HeadCell align="right">Credits</HeadCell>
              <HeadCell align="right">Customers</HeadCell>
              <HeadCell align="right">In trial</HeadCell>
              <HeadCell align="right">Monthly revenue</HeadCell>
              <HeadCell>Provider ID</HeadCell>
            </>
          }
        >
          {prices.map((price) => (
            <tr key={price.id}>
              <Cell className="whitespace-nowrap">{priceText(price, currency)}</Cell>
              <Cell>{price.on_sale ? 'On sale' : 'Ended'}</Cell>
              <Cell align="right">{kind === 'payg' ? '' : price.unlimited ? 'Unlimited' : count(price.credits)}</Cell>
              <Cell align="right">{kind === 'pack' ? '' : count(price.subscribers)}</Cell>
              <Cell align="right">{kind === 'pack' ? '' : count(price.trials)}</Cell>
              <Cell align="right">{kind === 'plan' ? money(price.mrr_cents, currency) : ''}</Cell>
              <Cell>
                <code className="font-mono text-small">{price.id}</code>
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
