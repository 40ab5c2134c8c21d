import { type BarMemory, createBarMemory } from './bar-store/bar-memory.ts'
import { loadBarBlocks } from './bar-store/load-bar-blocks.ts'
import type { BarSeries } from './bars/bar-series.ts'
import { loadBarSet } from './bars/bar-set.ts'
import { type Company, loadCompanies } from './companies/companies.ts'
import { type FiledSource, loadFilings } from './companies/filings/filings-file.ts'
import { loadStatements, type Statement } from './companies/statements.ts'
import { loadBars, readTable } from './load-dataset.ts'
import type { BarsManifest, Manifest } from './manifest.ts'
import { type EconomicSeries, loadSeries } from './series/economic-series.ts'
import { loadRates, type Rates } from './series/rates.ts'
import type { VersionFiles } from './version-files.ts'

export interface Currency {
  name: string
  /** Decimals of the smallest unit (ISO 4217). */
  digits: number
}

/** The bars of one symbol in one interval. */
export interface HeldSymbol {
  manifest: BarsManifest
  series: BarSeries
  /** Days made of `series`, which are minutes; absent: they are made when needed. */
  days?: BarSeries
}

/** The content of one dataset, in memory and read-only. */
export type DatasetPart = { manifest: Manifest } & (
  | { kind: 'bars'; symbols: readonly HeldSymbol[] }
  | { kind: 'series'; series: readonly EconomicSeries[] }
  | { kind: 'statements'; bySymbol: ReadonlyMap<string, readonly Statement[]> }
  | { kind: 'filings'; bySymbol: ReadonlyMap<string, readonly Statement[]>; filed: ReadonlyMap<string, FiledSource> }
  | { kind: 'companies'; companies: ReadonlyMap<string, Company> }
  | { kind: 'rates'; rates: Rates }
  | { kind: 'currencies'; currencies: ReadonlyMap<string, Currency> }
)

const DEFAULT_BYTES = 256 * 2 ** 20

/**
 * Loads one dataset; bars in blocks are read into `memory` when they are needed.
 * Throws when its file is missing or does not match its manifest. */
export async function loadPart(
  files: VersionFiles,
  manifest: Manifest,
  memory: BarMemory = createBarMemory(DEFAULT_BYTES),
): Promise<DatasetPart> {
  if (manifest.kind === 'bars')
    return { manifest, kind: 'bars', symbols: [{ manifest, series: await loadBars(files, manifest) }] }
  if (manifest.kind === 'bar_set') return { manifest, kind: 'bars', symbols: await loadBarSet(files, manifest) }
  if (manifest.kind === 'bar_blocks')
    return { manifest, kind: 'bars', symbols: await loadBarBlocks(files, manifest, memory) }
  if (manifest.kind === 'series') return { manifest, kind: 'series', series: await loadSeries(files, manifest) }
  if (manifest.kind === 'statements')
    return { manifest, kind: 'statements', bySymbol: await loadStatements(files, manifest) }
  if (manifest.kind === 'filings') return { manifest, kind: 'filings', ...(await loadFilings(files, manifest)) }
  if (manifest.kind === 'companies')
    return { manifest, kind: 'companies', companies: await loadCompanies(files, manifest) }
  if (manifest.kind === 'rates') return { manifest, kind: 'rates', rates: await loadRates(files, manifest) }
  const { rows } = await readTable(files, manifest)
  const currencies = new Map(rows.map(([code, name, digits]) => [code!, { name: name!, digits: Number(digits) }]))
  return { manifest, kind: 'currencies', currencies }
}
