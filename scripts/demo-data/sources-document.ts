import type { Manifest } from '#server/features/market-data/manifest.ts'
import { type Package, type PackageName, packages } from './packages.ts'

const INTRODUCTION = `# Sources of the demo data

Historical samples, made by \`scripts/demo-data/build.ts\` from the npm packages below and changed only as follows: rows
sorted by date, prices cut to seven significant digits (the noise of 32-bit floats), sources of one symbol joined at the
date in its manifest, splits and dividends placed on their sessions. Of the statements, the ratios are left out (they lose the
sign of losses), rows of 2003 to 2007 under COTY (another company's), and one impossible fiscal year; where none is named, a
period that ends in December has that year. No row was invented.

- **open**: public-domain or plainly licensed statistics; may be given on.
- **demo-only**: prices that first came from an exchange or a quote site and reached us through a permissively licensed
  package. They demonstrate and test the product; nobody should resell them. \`DEMO_PRICES=off\` leaves them out.
  See docs/decisions/0001-demo-prices.md.

| Dataset | Holds | Rows | From | To | Class | Packages | First published by |
| --- | --- | --- | --- | --- | --- | --- | --- |
`

/** The table of SOURCES.md: a line for each dataset, from its manifest. */
export function sourcesTable(manifests: Manifest[]): string {
  const distinct = (values: string[]) => [...new Set(values)].join('; ')
  const rows = manifests.map(({ id, rows, first, last, redistribution, sources, ...manifest }) =>
    [
      id,
      'symbol' in manifest ? manifest.symbol : manifest.name,
      rows,
      first,
      last,
      redistribution,
      distinct(sources.map((source) => `${source.package} ${source.version}`)),
      distinct(sources.map((source) => source.publisher)),
    ].join(' | '),
  )
  return rows.map((row) => `| ${row} |`).join('\n')
}

/** SOURCES.md: what was taken from where, and every licence in full. */
export async function sourcesDocument(
  manifests: Manifest[],
  read: (name: PackageName, path: string) => Promise<string>,
): Promise<string> {
  const licences: string[] = []
  for (const [id, used] of Object.entries(packages) as [PackageName, Package][]) {
    const text = used.licenceFile
      ? await read(id, used.licenceFile)
      : used.name === '@fawazahmed0/currency-api'
        ? 'Stated in the repository (github.com/fawazahmed0/exchange-api); the package names no licence.'
        : 'Stated in package.json; the package carries no licence file.'
    licences.push(
      `## ${used.name} ${used.version}: ${used.licence}\n\nSHA-256 of the tarball: \`${used.sha256}\`\n\n\`\`\`\`text\n${text.trim()}\n\`\`\`\`\n`,
    )
  }
  return `${INTRODUCTION}${sourcesTable(manifests)}\n\n# Licences\n\n${licences.join('\n')}`
}
