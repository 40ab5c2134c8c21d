import type { Queryable } from '../../../db/database.ts'

/** What an operator has ended and Stripe may still have. */
export interface Leaving {
  products: ReadonlySet<string>
  prices: ReadonlySet<string>
}

/** The products and prices whose archiving Stripe has not confirmed yet: the catalog leaves them out. */
export async function leavingOf(db: Queryable): Promise<Leaving> {
  const rows = await db
    .selectFrom('product_jobs')
    .select(['kind', 'product_id', 'price_id'])
    .where('kind', '<>', 'publish')
    .where('done_at', 'is', null)
    .where('failed_at', 'is', null)
    .execute()
  return {
    products: new Set(rows.flatMap(({ kind, product_id }) => (kind === 'archive' ? [product_id] : []))),
    prices: new Set(rows.flatMap(({ price_id }) => price_id ?? [])),
  }
}
