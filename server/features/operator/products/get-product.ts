import { sql } from 'kysely'
import type { z } from 'zod'
import type { ProductFields, productDetail } from '#contract/operator/product-routes.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { listProducts } from './list-products.ts'
import { sameFields } from './product-fields.ts'
import { readSold } from './read-catalog.ts'

/** One product for the console. Throws not_found. */
export async function getProduct(database: Database, id: string): Promise<z.input<typeof productDetail>> {
  const db = database.kysely
  const [product] = await listProducts(database, id)
  if (!product) throw new AppError('not_found', 'There is no such product.')
  const [sold] = await readSold(db, id)
  const live = sold?.live ?? null
  const draft = await readDraft(db, id)
  const versions = await db
    .selectFrom('product_versions')
    .select(['version', 'fields', 'published_by', 'reason', 'published_at'])
    .where('product_id', '=', id)
    .orderBy('version', 'desc')
    .execute()
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from checkouts join plans using (price_id)
    where checkouts.status = 'open' and (expires_at is null or expires_at > app_now()) and plans.product_id = ${id}`.execute(
    db,
  )
  return {
    product,
    live,
    draft: draft && {
      fields: draft.fields,
      row_version: draft.row_version,
      edited_by: draft.edited_by,
      edited_at: draft.edited_at.toISOString(),
      outdated: product.job === null && !sameFields(draft.base, live),
    },
    versions: versions.map(({ published_at, fields, ...row }) => ({
      ...row,
      fields: fields as ProductFields | null,
      published_at: published_at.toISOString(),
    })),
    open_checkouts: rows[0]!.open,
  }
}

export interface Draft {
  fields: ProductFields
  base: ProductFields | null
  row_version: number
  edited_by: string
  edited_at: Date
}

/** The draft of a product; `lock`: nobody else changes it until the transaction ends. */
export async function readDraft(db: Queryable, id: string, lock = false): Promise<Draft | null> {
  const row = await db
    .selectFrom('product_drafts')
    .selectAll()
    .where('product_id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!row) return null
  return { ...row, fields: row.fields as unknown as ProductFields, base: row.base as ProductFields | null }
}
