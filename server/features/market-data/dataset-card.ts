import type { BarSetManifest, Manifest } from './manifest.ts'
import { sourceOf } from './market-data.ts'
import { versionOf } from './series/economic-series.ts'

/** A card lists symbols; the location of their bytes is internal. */
const withNames = (manifest: BarSetManifest) => ({
  ...manifest,
  kind: 'bars' as const,
  symbols: manifest.symbols.map(({ symbol }) => symbol),
})

/** The public facts of a dataset: its manifest without the file location. */
export function datasetCard(manifest: Manifest) {
  const { file: _, sha256: __, ...card } = manifest.kind === 'bar_set' ? withNames(manifest) : manifest
  return { ...card, version: versionOf(manifest), source: sourceOf(manifest) }
}
