import type { FiledSource } from '../market-data/companies/filings/filings-file.ts'
import { quarterSums } from '../market-data/companies/filings/quarter-sums.ts'
import { loadPart } from '../market-data/dataset-part.ts'
import { assemble, loadMarketData, type MarketData } from '../market-data/market-data.ts'
import type { PublishedPlace } from './published-place.ts'
import { versionStore } from './version-store.ts'

/** The market data of a server: the demonstration, and what is published at `place`. */
export async function servedMarket(demoDirectory: string, place: PublishedPlace): Promise<MarketData> {
  const { parts } = await loadMarketData({ dir: demoDirectory, demoPrices: true })
  const store = versionStore(place)
  const published = await Promise.all(
    (await store.served()).map(async ({ id, version }) => {
      const { files, manifest } = await store.read(id, version)
      return loadPart(files, manifest)
    }),
  )
  return assemble([...parts, ...published])
}

/** Which years of which companies are not the sum of their quarters, and why, as lines for a terminal. */
export function quarterLines(filed: ReadonlyMap<string, FiledSource>): string[] {
  const lines: string[] = []
  const done = new Set<string>()
  for (const [symbol, source] of filed) {
    const company = source.read()
    if (done.has(company.cik)) continue
    done.add(company.cik)
    const { compared, differ } = quarterSums(company)
    lines.push(`${symbol}  ${company.name}: ${compared} lines of years compared, ${differ.length} differ`)
    for (const { fiscalYear, line, year, sum, why } of differ)
      lines.push(`  ${fiscalYear} ${line}: ${amount(year)}, quarters ${amount(sum)}: ${why}`)
  }
  if (lines.length === 0) lines.push('No filings are served.')
  return lines
}

const amount = (value: number): string => value.toLocaleString('en-US')
