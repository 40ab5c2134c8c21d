import { type Day, parseDay } from '../dates.ts'
import { readTable } from '../load-dataset.ts'
import type { Manifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'
import type { FiledSource } from './filings/filings-file.ts'
import { ratios } from './ratios.ts'
import { statementLines } from './statement-lines.ts'

type StatementsManifest = Extract<Manifest, { kind: 'statements' }>

export interface Statement {
  symbol: string
  periodEnd: Day
  fiscalYear: number | null
  currency: string
  /** In the order of `statementLines`; NaN if the company reported nothing. */
  values: Float64Array
}

export interface Statements {
  manifests: readonly Manifest[]
  /** The dataset that a symbol's statements are from. */
  from: ReadonlyMap<string, Manifest>
  /** Companies whose filings are known, by symbol: quarters and points in time. */
  filed: ReadonlyMap<string, FiledSource>
  /** Newest first. */
  bySymbol: ReadonlyMap<string, readonly Statement[]>
}

/** The statements of one dataset. Throws when the file does not match its manifest. */
export async function loadStatements(
  files: VersionFiles,
  manifest: StatementsManifest,
): Promise<Map<string, Statement[]>> {
  const { header, rows } = await readTable(files, manifest)
  const columns = statementLines.map(({ name }) => header.indexOf(name))
  const bySymbol = new Map<string, Statement[]>()
  for (const cells of rows) {
    const symbol = cells[0]!
    const values = Float64Array.from(columns, (at) => (at === -1 || cells[at] === '' ? Number.NaN : Number(cells[at])))
    const statement = {
      symbol,
      periodEnd: parseDay(cells[1]!),
      fiscalYear: cells[2] === '' ? null : Number(cells[2]),
      currency: manifest.currency,
      values,
    }
    addRatios(statement)
    bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), statement])
  }
  for (const list of bySymbol.values()) list.sort((a, b) => b.periodEnd - a.periodEnd)
  return bySymbol
}

/** Computes the ratios that the source lacks. */
export function addRatios(statement: Statement): void {
  const given = (name: string) => lineValue(statement, name)
  for (const [name, compute] of Object.entries(ratios))
    if (given(name) === null) statement.values[indexOf.get(name)!] = compute(given) ?? Number.NaN
}

const indexOf = new Map(statementLines.map(({ name }, index) => [name, index]))

/** The value of a line; null if nothing was reported. */
export function lineValue(statement: Statement, name: string): number | null {
  const value = statement.values[indexOf.get(name) ?? -1]
  return value === undefined || Number.isNaN(value) ? null : value
}
