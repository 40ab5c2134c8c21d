import type { ProductFields } from '#contract/operator/product-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { Change } from '../console/run-act.ts'
import { type Draft, readDraft } from './get-product.ts'
import { lockProduct } from './lock-product.ts'
import { changedFields } from './product-fields.ts'
import { readSold } from './read-catalog.ts'

interface NewDraft {
  id: string
  fields: ProductFields
  /** Of the draft that the form was filled from; 0: there was none. */
  rowVersion: number
  editor: string
}

/** The id that a new product has from its first draft on, also at Stripe: the same for a repeated request. */
export const newProductId = (actId: string): string => `prod_${actId.replaceAll('-', '')}`

/** Begins the draft of a new product. Throws invalid_parameter for a kind that is not made here. */
export async function createDraft(
  tx: Queryable,
  { id, fields, editor }: Omit<NewDraft, 'rowVersion'>,
): Promise<Change> {
  if (fields.kind === 'payg')
    throw new AppError(
      'invalid_parameter',
      'kind: pay-as-you-go is created by npm run billing -- seed and can only be edited here.',
    )
  await tx
    .insertInto('product_drafts')
    .values({ product_id: id, fields: JSON.stringify(fields), edited_by: editor })
    .execute()
  return { after: changedFields(null, fields).after }
}

/**
 * Saves the draft of a product. Throws not_found, invalid_parameter for what a product cannot become, and conflict: with both versions
 * when somebody else saved one meanwhile, without while it is being published.
 */
export async function saveDraft(tx: Queryable, { id, fields, rowVersion, editor }: NewDraft): Promise<Change> {
  await lockProduct(tx, id)
  const [sold] = await readSold(tx, id)
  const draft = await readDraft(tx, id, true)
  if (!sold && !draft) throw new AppError('not_found', 'There is no such product.')
  requireRowVersion(draft, rowVersion, fields)
  requirePossible(sold?.last ?? draft!.fields, fields, sold !== undefined)
  if (draft)
    await tx
      .updateTable('product_drafts')
      .set({ fields: JSON.stringify(fields), row_version: rowVersion + 1, edited_by: editor })
      .set(({ fn }) => ({ edited_at: fn<Date>('app_now') }))
      .where('product_id', '=', id)
      .execute()
  else
    await tx
      .insertInto('product_drafts')
      .values({
        product_id: id,
        fields: JSON.stringify(fields),
        base: sold?.live ? JSON.stringify(sold.live) : null,
        edited_by: editor,
      })
      .execute()
  return changedFields(draft?.fields ?? sold!.last, fields)
}

/** Throws conflict, with both versions, unless the form was filled from the draft that is there now. */
export function requireRowVersion(draft: Draft | null, rowVersion: number, yours: ProductFields | null = null): void {
  if ((draft?.row_version ?? 0) === rowVersion) return
  const text = draft
    ? `${draft.edited_by} saved this draft after you opened it. Compare both versions, then save again.`
    : 'This draft was published or discarded after you opened it. Reload the page.'
  const current = draft && { fields: draft.fields, row_version: draft.row_version, edited_by: draft.edited_by }
  throw new AppError('conflict', text, { versions: { yours, current } })
}

/** `published`: it has, or had, customers. */
function requirePossible(before: ProductFields, after: ProductFields, published: boolean): void {
  const refuse = (param: string, text: string) => {
    throw new AppError('invalid_parameter', `${param}: ${text}`, { param })
  }
  if (before.kind !== after.kind) refuse('kind', `this product is a ${before.kind} and cannot become another kind`)
  if (!published) return
  if (before.currency !== after.currency) refuse('currency', `this product is sold in ${before.currency}`)
  if (before.kind !== 'plan' || after.kind !== 'plan') return
  if (before.price_cents === 0 && after.price_cents > 0)
    refuse('price_cents', 'a free plan stays free. Create a new plan and archive this one')
  if (before.price_cents > 0 && after.price_cents === 0)
    refuse('price_cents', 'a paid plan stays paid. Create a new plan and archive this one')
}
