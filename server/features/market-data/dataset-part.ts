import type { BarSeries } from './bar-series.ts'
import { loadBarSet } from './bar-set.ts'
import { type Company, loadCompanies } from './companies.ts'
import { type EconomicSeries, loadSeries } from './economic-series.ts'
import { loadBars, readTable } from './load-dataset.ts'
import type { BarsManifest, Manifest } from './manifest.ts'
import { loadRates, type Rates } from './rates.ts'
import { loadStatements, type Statement } from './statements.ts'

export interface Currency {
  name: string
  /** Decimals of the smallest unit (ISO 4217). */
  digits: number
}

/** What one dataset holds, in memory and read-only. */
export type DatasetPart = { manifest: Manifest } & (
  | { kind: 'bars'; symbols: readonly { manifest: BarsManifest; series: BarSeries }[] }
  | { kind: 'series'; series: readonly EconomicSeries[] }
  | { kind: 'statements'; bySymbol: ReadonlyMap<string, readonly Statement[]> }
  | { kind: 'companies'; companies: ReadonlyMap<string, Company> }
  | { kind: 'rates'; rates: Rates }
  | { kind: 'currencies'; currencies: ReadonlyMap<string, Currency> }
)

/** Loads one dataset of `directory`. Throws when its file is missing or is not the one that the manifest describes. */
export async function loadPart(directory: string, manifest: Manifest): Promise<DatasetPart> {
  if (manifest.kind === 'bars')
    return { manifest, kind: 'bars', symbols: [{ manifest, series: await loadBars(directory, manifest) }] }
  if (manifest.kind === 'bar_set') return { manifest, kind: 'bars', symbols: await loadBarSet(directory, manifest) }
  if (manifest.kind === 'series') return { manifest, kind: 'series', series: await loadSeries(directory, manifest) }
  if (manifest.kind === 'statements')
    return { manifest, kind: 'statements', bySymbol: await loadStatements(directory, manifest) }
  if (manifest.kind === 'companies')
    return { manifest, kind: 'companies', companies: await loadCompanies(directory, manifest) }
  if (manifest.kind === 'rates') return { manifest, kind: 'rates', rates: await loadRates(directory, manifest) }
  const { rows } = await readTable(directory, manifest)
  const currencies = new Map(rows.map(([code, name, digits]) => [code!, { name: name!, digits: Number(digits) }]))
  return { manifest, kind: 'currencies', currencies }
}
