import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { Change } from '../console/run-act.ts'
import { lockProduct } from './lock-product.ts'
import { addVersion } from './publish-draft.ts'
import { readSold } from './read-catalog.ts'

/**
 * Ends the sale of a product at once: no checkout begins from now on. Its customers keep it. Stripe is told when the checkouts that
 * are open have ended, so that they end as they began. Throws not_found, and conflict when it is not sold or is being published.
 */
export async function archiveSold(
  tx: Queryable,
  { id, owner, reason }: { id: string; owner: string; reason: string },
): Promise<Change> {
  await lockProduct(tx, id)
  const [sold] = await readSold(tx, id)
  if (!sold) throw new AppError('not_found', 'There is no product on sale with this ID.')
  if (!sold.live) throw new AppError('conflict', 'This product is archived already.')
  await tx.deleteFrom('product_drafts').where('product_id', '=', id).execute()
  await tx.updateTable('plans').set({ active: false }).where('product_id', '=', id).execute()
  await tx.updateTable('credit_packs').set({ active: false }).where('product_id', '=', id).execute()
  const version = await addVersion(tx, { id, fields: null, owner, reason })
  await tx.insertInto('product_jobs').values({ kind: 'archive', product_id: id, version }).execute()
  return { before: { ...sold.live }, after: { archived: true } }
}
