import { type Catalogue, createCatalogue, type Instrument } from './catalogue.ts'
import { type EconomicSeries, loadBars, loadSeries } from './load-dataset.ts'
import { type BarsManifest, type Manifest, readManifests, type SeriesManifest } from './manifest.ts'

/** The market data that this server holds in memory, read-only after loading. */
export interface MarketData {
  readonly catalogue: Catalogue
  /** Economic series by symbol. */
  readonly series: ReadonlyMap<string, { manifest: SeriesManifest; series: EconomicSeries }>
  readonly manifests: readonly Manifest[]
}

/**
 * Loads every dataset with a manifest in `dir`. `demoPrices: false` leaves out those marked `redistribution: demo-only`.
 * Throws when a file is missing or is not the one that its manifest describes.
 */
export async function loadMarketData(options: { dir: string; demoPrices: boolean }): Promise<MarketData> {
  const all = await readManifests(options.dir)
  const manifests = options.demoPrices ? all : all.filter(({ redistribution }) => redistribution !== 'demo-only')
  const instruments: Instrument[] = []
  const series = new Map<string, { manifest: SeriesManifest; series: EconomicSeries }>()
  for (const manifest of manifests) {
    if (manifest.kind === 'bars') instruments.push(await loadInstrument(options.dir, manifest))
    else series.set(manifest.symbol, { manifest, series: await loadSeries(options.dir, manifest) })
  }
  return { catalogue: createCatalogue(instruments), series, manifests }
}

async function loadInstrument(directory: string, manifest: BarsManifest): Promise<Instrument> {
  const sources = manifest.sources.map((source) => `${source.package} ${source.version}`)
  return {
    manifest,
    series: await loadBars(directory, manifest),
    datasetVersion: `${manifest.id}@${manifest.sha256.slice(0, 8)}`,
    source: [...new Set(sources)].join(', '),
  }
}
