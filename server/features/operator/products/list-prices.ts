import type { z } from 'zod'
import type { toolPrice } from '#contract/operator/price-routes.ts'
import type { Deps } from '../../../deps.ts'
import { toolPriceText } from '../../tools/listing/price-text.ts'
import { mostOf } from '../../tools/price.ts'

/** The tools that this server serves, in the order of its lists, each with what a call costs. */
export async function listPrices({ db, tools }: Pick<Deps, 'db' | 'tools'>): Promise<z.input<typeof toolPrice>[]> {
  const rows = await db.kysely.selectFrom('upstreams').select(['id', 'published']).execute()
  const versions = new Map(rows.map(({ id, published }) => [id, published]))
  return tools.current().all.map(({ tool }) => {
    const { name, title, credits, upstream } = tool
    return {
      tool: name,
      title,
      price: toolPriceText(tool),
      kind: credits.kind,
      credits: credits.credits,
      most: credits.kind === 'fixed' ? null : (mostOf(credits) ?? null),
      upstream: upstream
        ? {
            id: upstream.id,
            title: upstream.title ?? upstream.id,
            operation: upstream.operation,
            version: versions.get(upstream.id) ?? 0,
          }
        : null,
    }
  })
}
