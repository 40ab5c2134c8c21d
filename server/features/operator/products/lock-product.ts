import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'

/**
 * Lets one change of a product follow another. Throws conflict while Stripe has yet to confirm an earlier one: a draft is what is
 * being published until then.
 */
export async function lockProduct(tx: Queryable, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`product ${id}`}, 0))`.execute(tx)
  const job = await tx
    .selectFrom('product_jobs')
    .select('kind')
    .where('product_id', '=', id)
    .where('kind', '<>', 'retire')
    .where('done_at', 'is', null)
    .where('failed_at', 'is', null)
    .executeTakeFirst()
  if (!job) return
  const what = job.kind === 'publish' ? 'published' : 'archived'
  throw new AppError(
    'conflict',
    `This product is being ${what}. Change it after the payment provider has confirmed that.`,
  )
}
