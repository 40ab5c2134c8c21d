import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Day } from '../../dates.ts'
import type { FilingsManifest } from '../../manifest.ts'
import type { VersionFiles } from '../../version-files.ts'
import type { Company } from '../companies.ts'
import { statementLines } from '../statement-lines.ts'
import { addRatios, type Statement } from '../statements.ts'
import type { FiledCompany, Filing } from './filed-facts.ts'
import { filedStatements } from './filed-statements.ts'

/** Companies that stay unpacked; one takes about a megabyte. */
const UNPACKED = 64

/** What a company filed, unpacked when it is asked for. */
export interface FiledSource {
  company: Company
  read: () => FiledCompany
}

/** A block: facts by tag and unit, with the number of their filing. */
interface Block {
  cik: string
  name: string
  filings: [accession: string, form: string, filed: Day, fiscalYear: number | null][]
  facts: Record<string, Record<string, [start: Day | null, end: Day, value: number, filing: number][]>>
}

/** The annual statements of all companies as known today, for screens. */
interface AnnualBlock {
  lines: string[]
  rows: [symbol: string, end: Day, fiscalYear: number, currency: string, ...(number | null)[]][]
}

export function packCompany({ cik, name, facts }: FiledCompany): Buffer {
  const numbers = new Map<Filing, number>()
  const block: Block = { cik, name, filings: [], facts: {} }
  for (const { tag, unit, start, end, value, filing } of facts) {
    let number = numbers.get(filing)
    if (number === undefined) {
      number = block.filings.push([filing.accession, filing.form, filing.filed, filing.fiscalYear]) - 1
      numbers.set(filing, number)
    }
    block.facts[tag] ??= {}
    block.facts[tag][unit] ??= []
    block.facts[tag][unit].push([start, end, value, number])
  }
  return gzipSync(JSON.stringify(block))
}

function unpackCompany(bytes: Uint8Array): FiledCompany {
  const block = JSON.parse(gunzipSync(bytes).toString('utf8')) as Block
  const filings: Filing[] = block.filings.map(([accession, form, filed, fiscalYear]) => ({
    accession,
    form,
    filed,
    fiscalYear,
  }))
  const facts = Object.entries(block.facts).flatMap(([tag, units]) =>
    Object.entries(units).flatMap(([unit, list]) =>
      list.map(([start, end, value, number]) => ({ tag, unit, start, end, value, filing: filings[number]! })),
    ),
  )
  return { cik: block.cik, name: block.name, facts }
}

/** Rows of a company for the annual block. */
export function annualRows(company: FiledCompany, symbols: readonly string[]): AnnualBlock['rows'] {
  const { currency, statements } = filedStatements(company, 'annual', null)
  return symbols.flatMap((symbol) =>
    statements.map(({ end, fiscalYear, values }): AnnualBlock['rows'][number] => [
      symbol,
      end,
      fiscalYear,
      currency,
      ...statementLines.map(({ name }) => values.get(filedName(name, values))?.value ?? null),
    ]),
  )
}

/** `eps` is the diluted one, or the basic one where a company reports no other. */
export const filedName = (line: string, values: { has: (name: string) => boolean }): string =>
  line !== 'eps' ? line : values.has('eps_diluted') ? 'eps_diluted' : 'eps_basic'

export const packAnnual = (rows: AnnualBlock['rows']): Buffer =>
  gzipSync(JSON.stringify({ lines: statementLines.map(({ name }) => name), rows } satisfies AnnualBlock))

/** The filings of one dataset. Throws when the file does not match its manifest. */
export async function loadFilings(
  files: VersionFiles,
  manifest: FilingsManifest,
): Promise<{ bySymbol: Map<string, Statement[]>; filed: Map<string, FiledSource> }> {
  const bytes = await files.whole(manifest.file)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (sha256 !== manifest.sha256)
    throw new Error(
      `${files.placeOf(manifest.file)} is not the file that ${manifest.id}.json describes: its SHA-256 is ${sha256}.`,
    )
  const part = ({ offset, length }: { offset: number; length: number }) => bytes.subarray(offset, offset + length)
  const unpacked = new Map<string, FiledCompany>()
  const filed = new Map<string, FiledSource>()
  for (const entry of manifest.companies) {
    const { cik, name, symbols } = entry
    const read = () => {
      const company = unpacked.get(cik) ?? unpackCompany(part(entry))
      // The last used one is the last to go.
      unpacked.delete(cik)
      unpacked.set(cik, company)
      if (unpacked.size > UNPACKED) unpacked.delete(unpacked.keys().next().value!)
      return company
    }
    for (const symbol of symbols)
      filed.set(symbol, { read, company: { symbol, name, mic: null, sector: null, industry: null, cik } })
  }
  return {
    bySymbol: annualStatements(JSON.parse(gunzipSync(part(manifest.annual)).toString('utf8')) as AnnualBlock),
    filed,
  }
}

function annualStatements({ lines, rows }: AnnualBlock): Map<string, Statement[]> {
  const columns = statementLines.map(({ name }) => lines.indexOf(name))
  const bySymbol = new Map<string, Statement[]>()
  for (const [symbol, periodEnd, fiscalYear, currency, ...cells] of rows) {
    const values = Float64Array.from(columns, (at) => cells[at] ?? Number.NaN)
    const statement: Statement = { symbol, periodEnd, fiscalYear, currency, values }
    addRatios(statement)
    const list = bySymbol.get(symbol)
    if (list) list.push(statement)
    else bySymbol.set(symbol, [statement])
  }
  return bySymbol
}
