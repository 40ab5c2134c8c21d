import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { Change } from '../console/run-act.ts'
import { readDraft } from './get-product.ts'
import { lockProduct } from './lock-product.ts'
import { requireRowVersion } from './save-draft.ts'

/** Discards a draft. Throws not_found, and conflict while it is being published or when somebody else saved it meanwhile. */
export async function discardDraft(tx: Queryable, id: string, rowVersion: number): Promise<Change> {
  await lockProduct(tx, id)
  const draft = await readDraft(tx, id, true)
  if (!draft) throw new AppError('not_found', 'This product has no draft.')
  requireRowVersion(draft, rowVersion)
  await tx.deleteFrom('product_drafts').where('product_id', '=', id).execute()
  return { before: { ...draft.fields } }
}
