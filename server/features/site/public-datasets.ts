import type { PublicDataset } from '#contract/site.ts'
import type { MarketAccess } from '../market-data/market-access.ts'

/** Nobody's account: sees only what may be shown to anybody. */
const NOBODY = { accountId: -1 }

/** The datasets of the home page, the most recent first; reference tables such as currencies are not named. */
export async function publicDatasets(market: MarketAccess): Promise<PublicDataset[]> {
  const { manifests } = await market.of(NOBODY)
  return manifests
    .filter(({ kind }) => kind !== 'currencies')
    .map(({ id, name, rows, last, redistribution }) => ({
      id,
      name,
      rows,
      last,
      sample: redistribution === 'demo-only',
    }))
    .sort((a, b) => b.last.localeCompare(a.last) || a.name.localeCompare(b.name))
}
