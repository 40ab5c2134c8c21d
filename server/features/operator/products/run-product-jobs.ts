import { sql } from 'kysely'
import Stripe from 'stripe'
import type { ProductFields } from '#contract/operator/product-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { transactInLease } from '../../billing/lease/in-lease.ts'
import { CATALOG_LEASE, LeaseLost } from '../../billing/lease/take-lease.ts'
import { readCatalog } from '../../billing/plans/sync-catalog.ts'
import type { StripeAccess } from '../../billing/stripe/client.ts'
import { archiveProduct, publishProduct, retirePrice } from '../../billing/stripe/publish-product.ts'
import { hasOpenCheckout } from './open-checkouts.ts'
import { wantedProduct } from './product-fields.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'stripe'>

export interface ProductJob {
  id: number
  kind: 'publish' | 'archive' | 'retire'
  product_id: string
  version: number | null
  price_id: string | null
  created_at: Date
}

/**
 * Brings to Stripe what operators have published, archived and replaced, until nothing is due. Each job runs under the lease of the
 * catalog, so no reading of it comes between, and ends in one transaction with that reading. What Stripe does not answer is tried
 * again, for as long as it takes; what it refuses is left to the operator. Safe on any number of instances. Returns how many are done.
 */
export async function runProductJobs({ db, log, stripe }: Needs): Promise<number> {
  let done = 0
  if (!stripe) return done
  for (;;) {
    const job = await nextJob(db.kysely)
    if (!job) return done
    try {
      done += Number(await transactInLease(db, CATALOG_LEASE, (tx) => runJob({ tx, log, stripe }, job.id)))
    } catch (error) {
      // The server that took over runs it.
      if (error instanceof LeaseLost) return done
      const refused = error instanceof Stripe.errors.StripeInvalidRequestError
      log[refused ? 'error' : 'warn'](
        { product: job.product_id, kind: job.kind, error: (error as Error).message },
        refused ? 'Stripe refused a product' : 'a product could not be brought to Stripe and will be tried again',
      )
      await sql`update product_jobs set attempts = attempts + 1, error = ${(error as Error).message.slice(0, 500)},
        next_attempt_at = app_now() + least(power(2, least(attempts, 9)), 300) * interval '1 second',
        failed_at = case when ${refused} then app_now() end where id = ${job.id} and done_at is null`.execute(db.kysely)
    }
  }
}

/** The oldest that is due. Those of one product follow each other: a price is retired after what replaces it is there. */
const nextJob = (db: Queryable): Promise<ProductJob | undefined> =>
  db
    .selectFrom('product_jobs')
    .select(['id', 'kind', 'product_id', 'version', 'price_id', 'created_at'])
    .where('done_at', 'is', null)
    .where('failed_at', 'is', null)
    .where('next_attempt_at', '<=', sql<Date>`app_now()`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst() as Promise<ProductJob | undefined>

type Context = { tx: Queryable; log: Deps['log']; stripe: StripeAccess }

/** Returns whether the job is done now; false: it waits for open checkouts, or another instance did it. */
async function runJob(ctx: Context, id: number): Promise<boolean> {
  const { tx, stripe } = ctx
  const job = (await tx
    .selectFrom('product_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('done_at', 'is', null)
    .where('failed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()) as ProductJob | undefined
  if (!job) return false
  if (job.kind === 'publish') await publish(ctx, job)
  else if (await hasOpenCheckout(tx, job)) {
    await sql`update product_jobs set next_attempt_at = app_now() + interval '10 minutes' where id = ${id}`.execute(tx)
    return false
  } else if (job.kind === 'archive') await archiveProduct(stripe, job.product_id)
  else await retirePrice(stripe, job.price_id!, await soldFor(tx, job.price_id!))
  await sql`update product_jobs set done_at = app_now(), error = null where id = ${id}`.execute(tx)
  await readCatalog(ctx)
  return true
}

async function publish({ tx, stripe }: Context, { product_id: id, version }: ProductJob): Promise<void> {
  const { fields } = await tx
    .selectFrom('product_versions')
    .select('fields')
    .where('product_id', '=', id)
    .where('version', '=', version!)
    .executeTakeFirstOrThrow()
  const { prices, replaced } = await publishProduct(stripe, wantedProduct(id, version!, fields as ProductFields))
  // A price that is sold again before its retirement was due.
  await tx
    .deleteFrom('product_jobs')
    .where('kind', '=', 'retire')
    .where('done_at', 'is', null)
    .where('price_id', 'in', prices)
    .execute()
  for (const price_id of replaced)
    await tx
      .insertInto('product_jobs')
      .values({ kind: 'retire', product_id: id, price_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await tx.deleteFrom('product_drafts').where('product_id', '=', id).execute()
}

/** What the customers of a price get, as rules read it. */
async function soldFor(tx: Queryable, priceId: string): Promise<Record<string, string>> {
  const plan = await tx.selectFrom('plans').select('metadata').where('price_id', '=', priceId).executeTakeFirst()
  return (plan?.metadata ?? {}) as Record<string, string>
}
