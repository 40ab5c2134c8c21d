import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { ProductJob } from './run-product-jobs.ts'

/** Stripe's pages are open for at most a day. */
const OPEN = sql`interval '24 hours'`

/**
 * Whether somebody still has the page open on which they buy what a job ends. Whether Stripe lets them pay for an archived price is
 * not ours to know, so it is archived afterward.
 */
export async function hasOpenCheckout(
  tx: Queryable,
  { kind, product_id, price_id, created_at }: ProductJob,
): Promise<boolean> {
  const product = kind === 'archive' ? product_id : null
  const { rows } = await sql<{ open: boolean }>`
    select exists (select from checkouts c join plans p using (price_id) where c.status = 'open'
        and coalesce(c.expires_at, c.created_at + ${OPEN}) > app_now() and (c.price_id = ${price_id} or p.product_id = ${product}))
      or (exists (select from credit_packs where price_id = ${price_id} or product_id = ${product})
        and exists (select from topups where origin = 'checkout' and status = 'open' and created_at > app_now() - ${OPEN}
          and created_at <= ${created_at})) as open`.execute(tx)
  return rows[0]!.open
}
