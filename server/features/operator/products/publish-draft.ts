import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { Change } from '../console/run-act.ts'
import { readDraft } from './get-product.ts'
import { lockProduct } from './lock-product.ts'
import { changedFields, sameFields } from './product-fields.ts'
import { readSold } from './read-catalog.ts'
import { requireRowVersion } from './save-draft.ts'

interface Publication {
  id: string
  rowVersion: number
  owner: string
  reason: string
}

/**
 * Writes the draft as the next version, with the job that brings it to Stripe; the draft stays until Stripe has confirmed. Throws
 * not_found without a draft, invalid_parameter when it changes nothing, and conflict when it is not the one that the owner saw, or
 * what it was made from is no longer what is sold.
 */
export async function publishDraft(tx: Queryable, { id, rowVersion, owner, reason }: Publication): Promise<Change> {
  await lockProduct(tx, id)
  const draft = await readDraft(tx, id, true)
  if (!draft) throw new AppError('not_found', 'This product has no draft.')
  requireRowVersion(draft, rowVersion)
  const live = (await readSold(tx, id))[0]?.live ?? null
  if (!sameFields(draft.base, live))
    throw new AppError(
      'conflict',
      'The product on sale has changed since this draft was started. Compare both versions, then discard the draft or save it again.',
      { versions: { yours: draft.fields, current: live } },
    )
  if (sameFields(draft.fields, live)) throw new AppError('invalid_parameter', 'This draft changes nothing.')
  const version = await addVersion(tx, { id, fields: JSON.stringify(draft.fields), owner, reason })
  await tx.insertInto('product_jobs').values({ kind: 'publish', product_id: id, version }).execute()
  return changedFields(live, draft.fields)
}

/** Adds the next version of a product. `fields` null: it is archived. */
export async function addVersion(
  tx: Queryable,
  { id, fields, owner, reason }: { id: string; fields: string | null; owner: string; reason: string },
): Promise<number> {
  const last = await tx
    .selectFrom('product_versions')
    .select(({ fn }) => fn.max('version').as('version'))
    .where('product_id', '=', id)
    .executeTakeFirst()
  const version = Number(last?.version ?? 0) + 1
  await tx
    .insertInto('product_versions')
    .values({ product_id: id, version, fields, published_by: owner, reason })
    .execute()
  return version
}
