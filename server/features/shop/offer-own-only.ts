import type { Queryable } from '../../db/database.ts'
import { servedShop } from './store.ts'

/**
 * What an operator who has published something is told while the demonstration is served beside it; null once shop.yaml says what is
 * served. `hasDatasets`: own datasets are published, which the tools for market data serve.
 */
export async function offerOwnOnly(db: Queryable, hasDatasets: boolean): Promise<string | null> {
  const served = await servedShop(db)
  if (served && served.stored.builtins !== undefined) return null
  const line = hasDatasets ? 'builtins: [market-data]' : 'builtins: off'
  return `The demonstration is served beside it. To serve only what is yours, add this line to shop.yaml and apply it (docs/shop.md): ${line}`
}
