import type { Selectable } from 'kysely'
import type { ProductFields } from '#contract/operator/product-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import type { CreditPacks, Plans } from '../../../db/schema.gen.ts'
import { fieldsOfPack, fieldsOfPlan } from './product-fields.ts'

/** What is known of a product at Stripe. */
export interface Sold {
  id: string
  /** As it is sold; null: archived. */
  live: ProductFields | null
  /** As it is sold, or was last. */
  last: ProductFields
  /** The price of `live` comes first. */
  plans: Selectable<Plans>[]
  packs: Selectable<CreditPacks>[]
}

/** All products that are or were sold, or one: plans in the order of the pricing page, then packs by price. */
export async function readSold(db: Queryable, productId?: string): Promise<Sold[]> {
  const plans = await db
    .selectFrom('plans')
    .selectAll()
    .$if(productId !== undefined, (query) => query.where('product_id', '=', productId!))
    .orderBy('active', 'desc')
    .orderBy('listed', 'desc')
    .orderBy('position')
    .orderBy('price_id')
    .execute()
  const packs = await db
    .selectFrom('credit_packs')
    .selectAll()
    .where('product_id', 'is not', null)
    .$if(productId !== undefined, (query) => query.where('product_id', '=', productId!))
    .orderBy('active', 'desc')
    .orderBy('price_cents')
    .orderBy('price_id')
    .execute()
  return [
    ...[...Map.groupBy(plans, ({ product_id }) => product_id)].map(([id, own]) => soldPlan(id, own)),
    ...[...Map.groupBy(packs, ({ product_id }) => product_id!)].map(([id, own]) => {
      const last = fieldsOfPack(own[0]!)
      return { id, live: own[0]!.active ? last : null, last, plans: [], packs: own }
    }),
  ]
}

function soldPlan(id: string, plans: Selectable<Plans>[]): Sold {
  const main = plans[0]!
  const yearly = plans.some(({ active, listed, interval }) => active && !listed && interval === 'year')
  const last = fieldsOfPlan(main, yearly)
  return { id, live: main.active && main.listed ? last : null, last, plans, packs: [] }
}
