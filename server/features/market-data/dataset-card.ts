import {
  type BarBlocksManifest,
  type BarSetManifest,
  type FilingsManifest,
  isBarFile,
  type Manifest,
} from './manifest.ts'
import { sourceOf } from './market-data.ts'
import { versionOf } from './series/economic-series.ts'

/** A card lists symbols; the location of their bytes is internal. */
function withNames(manifest: BarSetManifest | BarBlocksManifest) {
  const { blocks: _, ...shared } = { blocks: 0, ...manifest }
  return { ...shared, kind: 'bars' as const, symbols: manifest.symbols.map(({ symbol }) => symbol) }
}

const withCompanies = ({ annual: _, companies, ...manifest }: FilingsManifest) => ({
  ...manifest,
  kind: 'statements' as const,
  companies: companies.map(({ symbols, cik, name }) => ({ symbols, cik, name })),
})

/** The public facts of a dataset: its manifest without the file location. */
export function datasetCard(manifest: Manifest) {
  const shown = isBarFile(manifest)
    ? withNames(manifest)
    : manifest.kind === 'filings'
      ? withCompanies(manifest)
      : manifest
  const { file: _, sha256: __, ...card } = shown
  return { ...card, version: versionOf(manifest), source: sourceOf(manifest) }
}
