import { versionOf } from './economic-series.ts'
import type { BarSetManifest, Manifest } from './manifest.ts'
import { sourceOf } from './market-data.ts'

/** A card names symbols; where their bytes lie is nobody's business. */
const withNames = (manifest: BarSetManifest) => ({
  ...manifest,
  kind: 'bars' as const,
  symbols: manifest.symbols.map(({ symbol }) => symbol),
})

/** What anybody may know about a dataset: everything in its manifest except where its file lies. */
export function datasetCard(manifest: Manifest) {
  const { file: _, sha256: __, ...card } = manifest.kind === 'bar_set' ? withNames(manifest) : manifest
  return { ...card, version: versionOf(manifest), source: sourceOf(manifest) }
}
