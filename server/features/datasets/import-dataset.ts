import { namesOf } from '../market-data/catalog.ts'
import type { BarBlocksManifest, Manifest } from '../market-data/manifest.ts'
import type { DatasetFile } from './dataset-file.ts'
import { importBars } from './import-bars.ts'
import { importFilings } from './import-filings.ts'
import { importCompanies, importSeries, importStatements } from './import-table.ts'
import { outlineBars } from './outline-bars.ts'
import type { PublishedPlace } from './published-place.ts'
import { Findings, type Report } from './report.ts'
import type { Rows } from './row-batch.ts'
import { codeRows } from './sources/code-source.ts'
import { fileRows } from './sources/file-source.ts'
import { createHttpCache } from './sources/http-cache.ts'
import { httpRows } from './sources/http-source.ts'
import { sqlRows } from './sources/sql-source.ts'
import type { StagedFile } from './version-storage.ts'
import { versionStore } from './version-store.ts'

type Own<M> = M extends Manifest
  ? Omit<
      M,
      | 'id'
      | 'name'
      | 'file'
      | 'sha256'
      | 'rows'
      | 'first'
      | 'last'
      | 'redistribution'
      | 'plans'
      | 'ai_clients'
      | 'notes'
      | 'sources'
    >
  : never

/** A dataset in the layout of its files. */
export interface ImportedData {
  rows: number
  /** The file, or where it was written. */
  content: Uint8Array | StagedFile
  file: string
  first: string
  last: string
  /** The kind-specific part of the manifest. */
  own: Own<Manifest>
}

export interface ImportOptions {
  published: PublishedPlace
  env: NodeJS.ProcessEnv
  now: () => number
  progress: (bytes: number, ofBytes: number | null) => void
  /** When a connector read the source, and how long that is recent. */
  retrieved?: { retrieved_at: string; stale_after_hours: number }
}

/**
 * Reads and checks a dataset; bars are written to `draft`, and without it nothing is. Throws for what cannot be read at
 * all, with file, row and column.
 */
export async function readDataset(
  dataset: DatasetFile,
  options: ImportOptions,
  draft: string | null = null,
): Promise<{ report: Report; data: ImportedData }> {
  const findings = new Findings()
  const { source } = dataset
  if (source.type === 'sql' && source.on_demand) {
    if (dataset.kind !== 'bars') throw new Error(`${dataset.id}: only bars can be read on demand.`)
    const data = await outlineBars(dataset, source, options.env, findings)
    checkNames(data, findings)
    return { report: { dataset: dataset.id, rows: data.rows, findings: findings.list }, data }
  }
  const rows = open(dataset, options, findings)
  const data =
    dataset.kind === 'bars'
      ? await importBars(dataset, rows, findings, draft)
      : dataset.kind === 'series'
        ? await importSeries(dataset, rows, findings)
        : dataset.kind === 'statements'
          ? await importStatements(dataset, rows, findings)
          : dataset.kind === 'filings'
            ? await importFilings(dataset, rows, findings)
            : await importCompanies(dataset, rows, findings)
  checkNames(data, findings)
  return { report: { dataset: dataset.id, rows: data.rows, findings: findings.list }, data }
}

/** Customers write symbols and aliases in any case, so two that differ in nothing else cannot be served. */
function checkNames({ own }: ImportedData, findings: Findings): void {
  const symbols: BarBlocksManifest['symbols'] = own.kind === 'bar_blocks' ? own.symbols : []
  const symbolsByName = new Map<string, string>()
  for (const one of symbols)
    for (const name of namesOf(one)) {
      const other = symbolsByName.get(name)
      if (other !== undefined) findings.error('same_name', `${other} and ${one.symbol} are the same name (${name})`)
      symbolsByName.set(name, one.symbol)
    }
}

/**
 * Reads and checks a dataset and, without errors, writes a version that can be published. `version` is null when errors
 * block it.
 */
export async function importDataset(
  dataset: DatasetFile,
  options: ImportOptions,
): Promise<{ report: Report; version: string | null }> {
  const store = versionStore(options.published)
  return store.withDraft(dataset.id, async (draft) => {
    const { report, data } = await readDataset(dataset, options, draft)
    if (report.findings.some(({ severity }) => severity === 'error')) return { report, version: null }
    const { id, name, redistribution, plans, ai_clients, notes, license, publisher } = dataset
    const version = await store.write(
      id,
      data.content,
      (sha256) =>
        ({
          ...data.own,
          id,
          name,
          file: data.file,
          sha256,
          rows: data.rows,
          first: data.first,
          last: data.last,
          redistribution,
          ...(plans && { plans }),
          ...(!ai_clients && { ai_clients }),
          ...options.retrieved,
          notes: notes.map((text) => ({ text })),
          sources: [
            {
              package: publisher,
              version: new Date(options.now()).toISOString().slice(0, 10),
              package_sha256: sha256,
              path: dataset.source.type,
              licence: license,
              publisher,
            },
          ],
        }) as Manifest,
    )
    return { report, version }
  })
}

function open(dataset: DatasetFile, { published, env, now, progress }: ImportOptions, findings: Findings): Rows {
  const { source } = dataset
  if (source.type === 'file') return fileRows(dataset, source, progress, findings)
  if (source.type === 'sql') return sqlRows(dataset, source, env)
  if (source.type === 'code') return codeRows(dataset, source, env)
  const cache = createHttpCache(versionStore(published).answersOf(dataset.id), now)
  return httpRows(dataset, source, { cache, env, findings, now })
}
