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
      about="Customers: active ones and those whose payment is late by less than seven days, with those in a trial. Revenue a month: without trials, a year as twelve months."
      flush={prices.length > 0}
      footer={open_checkouts > 0 && `${count(open_checkouts)} checkouts are open now.`}
    >
      {prices.length === 0 ? (
        <EmptyState title="No price yet" about="Prices appear here once the product is published." />
      ) : (
        <Table
          label="Prices"
          head={
            <>
              <HeadCell>Price</HeadCell>
              <HeadCell>Sale</HeadCell>
              <HeadCell align="right">Credits</HeadCell>
              <HeadCell align="right">Customers</HeadCell>
              <HeadCell align="right">In trial</HeadCell>
              <HeadCell align="right">Revenue a month</HeadCell>
              <HeadCell>At Stripe</HeadCell>
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
