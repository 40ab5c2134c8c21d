import { readTable } from '../load-dataset.ts'
import type { Manifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'

export interface Company {
  symbol: string
  name: string | null
  mic: string | null
  sector: string | null
  industry: string | null
  cik: string | null
}

/** The companies of one dataset, by symbol. Throws when the file does not match its manifest. */
export async function loadCompanies(
  files: VersionFiles,
  manifest: Extract<Manifest, { kind: 'companies' }>,
): Promise<Map<string, Company>> {
  const { rows } = await readTable(files, manifest)
  return new Map(
    rows.map((cells) => {
      const [name, mic, sector, industry, cik] = cells.slice(1, 6).map((cell) => cell || null)
      const symbol = cells[0]!
      return [
        symbol,
        {
          symbol,
          name: name ?? null,
          mic: mic ?? null,
          sector: sector ?? null,
          industry: industry ?? null,
          cik: cik ?? null,
        },
      ]
    }),
  )
}
