import { sql } from 'kysely'
import type { z } from 'zod'
import type { productEntry } from '#contract/operator/product-routes.ts'
import type { Queryable } from '../../../db/database.ts'

type Job = NonNullable<z.input<typeof productEntry>['job']>

/**
 * The work that Stripe has yet to confirm, by product: publishing or archiving, else the retirement of an old price. What Stripe
 * refused counts until something newer follows.
 */
export async function openJobs(db: Queryable, productId?: string): Promise<Map<string, Job>> {
  const { rows } = await sql<Omit<Job, 'since'> & { product_id: string; since: Date }>`
    select distinct on (product_id) product_id, kind, created_at as since, attempts, error, failed_at is not null as failed
    from product_jobs j
    where done_at is null and (${productId ?? null}::text is null or product_id = ${productId ?? null})
      and (failed_at is null or not exists (select from product_jobs later where later.product_id = j.product_id and later.id > j.id))
    order by product_id, kind = 'retire', id desc`.execute(db)
  return new Map(rows.map(({ product_id, since, ...job }) => [product_id, { ...job, since: since.toISOString() }]))
}
