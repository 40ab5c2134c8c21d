import type { z } from 'zod'
import type { ProductFields, productEntry } from '#contract/operator/product-routes.ts'
import type { Database } from '../../../db/database.ts'
import { isUnlimited } from '../../billing/plans/plan-rules.ts'
import { priceIn } from '../../billing/plans/price-in.ts'
import { creditPack } from '../../billing/topups/start-topup.ts'
import { openJobs } from './open-jobs.ts'
import { type PriceCustomers, priceCustomers } from './price-customers.ts'
import { readSold, type Sold } from './read-catalog.ts'

type Entry = z.input<typeof productEntry>
type Price = Entry['prices'][number]

/** Products as the console shows them: sold ones in the order of the pricing page, then drafts of new ones, then archived ones. */
export async function listProducts(database: Database, productId?: string): Promise<Entry[]> {
  const db = database.kysely
  const sold = await readSold(db, productId)
  const customers = await priceCustomers(database)
  const jobs = await openJobs(db, productId)
  const onSale = await creditPack(db)
  const drafts = await db
    .selectFrom('product_drafts')
    .select(['product_id', 'fields'])
    .$if(productId !== undefined, (query) => query.where('product_id', '=', productId!))
    .orderBy('edited_at')
    .execute()
  const drafted = new Map(drafts.map(({ product_id, fields }) => [product_id, fields as unknown as ProductFields]))
  const known = sold.map((one): Entry => {
    const prices = pricesOf(one, customers)
    const unsold = one.packs.length > 0 && one.packs[0]!.price_id !== onSale?.price_id
    return {
      ...about(one.id, one.last),
      state: one.live === null ? 'archived' : unsold ? 'unsold' : 'on_sale',
      draft: drafted.has(one.id),
      job: jobs.get(one.id) ?? null,
      prices: prices.filter(({ on_sale, subscribers }) => on_sale || subscribers > 0),
      subscribers: prices.reduce((sum, price) => sum + price.subscribers, 0),
    }
  })
  const ids = new Set(known.map(({ id }) => id))
  const coming = [...drafted].flatMap(([id, fields]): Entry[] =>
    ids.has(id)
      ? []
      : [
          {
            ...about(id, fields),
            state: 'new',
            draft: true,
            job: jobs.get(id) ?? null,
            prices: [],
            subscribers: 0,
          },
        ],
  )
  const archived = (entry: Entry) => entry.state === 'archived'
  return [...known.filter((entry) => !archived(entry)), ...coming, ...known.filter(archived)]
}

const about = (id: string, fields: ProductFields) => ({
  id,
  kind: fields.kind,
  name: fields.name,
  currency: fields.currency,
  free: fields.kind === 'plan' && fields.price_cents === 0,
})

function pricesOf({ plans, packs }: Sold, customers: ReadonlyMap<string, PriceCustomers>): Price[] {
  const none = { subscribers: 0, trials: 0, paying: {} }
  return [
    ...plans.map((plan): Price => {
      const { subscribers, trials, paying } = customers.get(plan.price_id) ?? none
      return {
        id: plan.price_id,
        on_sale: plan.active,
        price_cents: plan.price_cents,
        unit_cents: (plan.metadata as Record<string, string>).type === 'payg' ? plan.unit_amount_decimal : null,
        interval: plan.interval as 'month' | 'year',
        credits: plan.credits,
        unlimited: isUnlimited(plan),
        subscribers,
        trials,
        mrr: mrrOf(plan, paying),
      }
    }),
    ...packs.map(
      ({ price_id, active, price_cents, credits }): Price => ({
        id: price_id,
        on_sale: active,
        price_cents,
        unit_cents: null,
        interval: null,
        credits,
        unlimited: false,
        subscribers: 0,
        trials: 0,
        mrr: {},
      }),
    ),
  ]
}

/** Monthly recurring revenue of a price, by currency. */
const mrrOf = (plan: Sold['plans'][number], paying: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(paying).map(([currency, count]) => {
      const cents = count * (priceIn(plan, currency)?.price_cents ?? 0)
      return [currency, plan.interval === 'year' ? Math.round(cents / 12) : cents]
    }),
  )
