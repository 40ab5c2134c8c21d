import { mkdir, rm } from 'node:fs/promises'
import { type DatasetFile, parseDatasetFile } from '../dataset-file.ts'
import { importDataset } from '../import-dataset.ts'
import type { PublishedPlace } from '../published-place.ts'
import { reportLines } from '../report.ts'
import { versionStore } from '../version-store.ts'
import { BadAnswer, type Connector, type DatasetOf, type SourceRequest } from './connector.ts'
import { fetchAndParse } from './fetch-and-parse.ts'
import { Throttled, type Wire } from './fetch-answer.ts'
import { reasonsToRefuse } from './refuse-bad-version.ts'
import { filesOf, linkParts, replaceParts, rowsOf, writePart } from './row-files.ts'
import { type ConnectorState, connectorFiles, type DonePart, type Outcome, type RunReport } from './run-state.ts'
import { type Summary, summarize } from './summarize.ts'

/** A run that was killed is continued within this time; later, what it fetched may be out of date. */
const RESUME_WITHIN_MS = 6 * 3_600_000
const MAX_ROWS = 100_000_000

export interface RunOptions {
  /** Directory of the connectors' own files. */
  root: string
  published: PublishedPlace
  wire: Wire
  /** Added to what was selected before. */
  selection: readonly string[]
  progress: (done: number, planned: number, part: string) => void
}

type Files = ReturnType<typeof connectorFiles>

/**
 * Fetches what is new, checks it against the last good version, and publishes it. Whatever goes wrong, the last good
 * version stays. Throws only for what the operator must change.
 */
export async function runConnector(connector: Connector, options: RunOptions): Promise<RunReport> {
  const { manifest } = connector
  const files = connectorFiles(options.root, manifest.name)
  const unlock = await files.lock()
  try {
    const before = await files.readState()
    const state = { ...before, selection: [...new Set([...before.selection, ...options.selection])] }
    const run = await fetchAll(connector, state, files, options)
    const result =
      run.outcome ?? (await publish(connector, { ...state, learned: run.learned }, run.done, files, options))
    const { outcome, next = state, reasons, rows = 0 } = result
    const finishedAt = new Date(options.wire.now()).toISOString()
    const report: RunReport = {
      connector: manifest.name,
      startedAt: run.startedAt,
      finishedAt,
      outcome,
      reasons: [...reasons, ...run.problems],
      requests: run.requests,
      bytes: run.bytes,
      rows,
      versions: next.versions,
      retryAt: run.retryAt,
    }
    const good = outcome === 'published' || outcome === 'unchanged'
    await files.writeState({ ...next, lastRun: report, lastGoodAt: good ? run.startedAt : state.lastGoodAt })
    // A failed run keeps what it has, and the next one goes on from there; a refused one starts again.
    if (good || outcome === 'refused') await files.endJournal()
    return report
  } finally {
    await unlock()
  }
}

interface Fetching {
  startedAt: string
  done: Map<string, DonePart>
  learned: Record<string, string>
  problems: string[]
  requests: number
  bytes: number
  retryAt: string | null
  /** Set when there is nothing to publish. */
  outcome: { outcome: Outcome; reasons: string[]; next?: ConnectorState; rows?: number } | null
}

async function fetchAll(
  connector: Connector,
  state: ConnectorState,
  files: Files,
  options: RunOptions,
): Promise<Fetching> {
  const { wire } = options
  const journal = await files.readJournal()
  const resumed = journal && wire.now() - Date.parse(journal.startedAt) < RESUME_WITHIN_MS ? journal : null
  const startedAt = resumed?.startedAt ?? new Date(wire.now()).toISOString()
  if (!resumed) await files.beginJournal(startedAt)
  const run: Fetching = {
    startedAt,
    done: new Map(resumed?.done.map((one) => [one.part, one])),
    learned: Object.assign({}, state.learned, ...(resumed?.done.map(({ learned }) => learned) ?? [])),
    problems: [],
    requests: 0,
    bytes: 0,
    retryAt: null,
    outcome: null,
  }
  const tried = new Set(run.done.keys())
  for (;;) {
    const held = Object.fromEntries(Object.entries(state.parts).map(([part, { fetchedAt }]) => [part, fetchedAt]))
    const today = startedAt.slice(0, 10)
    const planState = { today, selection: state.selection, learned: run.learned, held }
    const planned = connector.plan(planState)
    const open = planned.filter(({ part, once }) => !tried.has(part) && !(once && held[part]))
    if (open.length === 0) {
      run.problems.push(...(connector.unknown?.(planState) ?? []))
      return run
    }
    for (const request of open) {
      tried.add(request.part)
      options.progress(tried.size - 1, planned.length, request.part)
      try {
        await fetchPart(connector, request, state, files, wire, run)
      } catch (error) {
        const reason = `${request.part}: ${(error as Error).message}`
        if (error instanceof Throttled) {
          run.retryAt = new Date(error.retryAtMs).toISOString()
          run.outcome = { outcome: 'stopped', reasons: [reason] }
          return run
        }
        if (!(error instanceof BadAnswer)) throw error
        run.problems.push(reason)
        if (request.optional !== true) run.outcome = { outcome: 'failed', reasons: [] }
      }
    }
  }
}

async function fetchPart(
  connector: Connector,
  request: SourceRequest,
  state: ConnectorState,
  files: Files,
  wire: Wire,
  run: Fetching,
): Promise<void> {
  const { part } = request
  const held = state.parts[part]
  await mkdir(files.directory, { recursive: true })
  run.requests += 1
  const fetched = await fetchAndParse(connector, request, held?.validators ?? {}, files.download, wire)
  const done = { part, fetchedAt: new Date(wire.now()).toISOString() }
  const note = async (more: Omit<DonePart, 'part' | 'fetchedAt'>) => {
    run.done.set(part, { ...done, ...more })
    await files.note({ ...done, ...more })
  }
  if (fetched.outcome === 'missing') {
    if (!request.optional) throw new BadAnswer('the source does not have it')
    // What it had before stays: a source that loses something is no reason to lose it here.
    // Where the connector knows how to go on without it, nothing is missing from what is published.
    if (!request.learnsIfMissing) run.problems.push(`${part}: the source does not have it`)
    Object.assign(run.learned, request.learnsIfMissing)
    return
  }
  if (fetched.outcome === 'unchanged') return note({ unchanged: true, validators: held?.validators ?? {}, learned: {} })
  run.bytes += fetched.bytes
  const { rows, learned } = fetched
  await writePart(files.next, part, rows)
  Object.assign(learned, request.learns)
  Object.assign(run.learned, learned)
  await note({ unchanged: false, validators: fetched.validators, learned })
  await rm(files.download, { force: true })
}

async function publish(
  connector: Connector,
  state: ConnectorState,
  done: ReadonlyMap<string, DonePart>,
  files: Files,
  options: RunOptions,
): Promise<NonNullable<Fetching['outcome']>> {
  const { manifest } = connector
  await rm(files.staged, { recursive: true, force: true })
  await linkParts(
    files.parts,
    files.staged,
    new Set([...done.values()].filter((one) => !one.unchanged).map(({ part }) => part)),
  )
  await linkParts(files.next, files.staged)
  const summaries: Record<string, Summary> = {}
  const refused: string[] = []
  let rows = 0
  for (const dataset of connector.datasets) {
    const earlier = state.summaries[dataset.id] ?? null
    const read = await summarize(rowsOf(files.staged, dataset.id), dataset, manifest.golden, earlier)
    summaries[dataset.id] = read.summary
    rows += read.summary.rows
    refused.push(...reasonsToRefuse(dataset, read, earlier, manifest.golden))
  }
  if (refused.length > 0) return { outcome: 'refused', reasons: refused, rows }
  const parts = { ...state.parts }
  for (const { part, fetchedAt, validators } of done.values()) parts[part] = { fetchedAt, validators }
  const next: ConnectorState = { ...state, parts, summaries }
  const store = versionStore(options.published)
  const retrievedAt = new Date(options.wire.now()).toISOString()
  const changed: DatasetOf[] = []
  for (const dataset of connector.datasets) {
    const same = state.summaries[dataset.id]?.digest === summaries[dataset.id]!.digest
    if (!same || !(await store.confirm(dataset.id, retrievedAt))) changed.push(dataset)
  }
  const imported: [string, string][] = []
  for (const dataset of changed) {
    const file = asFile(
      dataset,
      Object.keys(summaries[dataset.id]!.keys).sort(),
      state.learned,
      manifest.terms.aiClients !== false,
      files,
    )
    const { report, version } = await importDataset(file, {
      published: options.published,
      env: {},
      now: options.wire.now,
      progress: () => {},
      retrieved: { retrieved_at: retrievedAt, stale_after_hours: manifest.staleAfterHours },
    })
    if (!version) return { outcome: 'refused', reasons: reportLines(report), rows }
    imported.push([dataset.id, version])
  }
  for (const [id, version] of imported) await store.publish(id, version)
  await replaceParts(files.staged, files.parts)
  const versions = { ...state.versions, ...Object.fromEntries(imported) }
  return { outcome: changed.length > 0 ? 'published' : 'unchanged', reasons: [], next: { ...next, versions }, rows }
}

const asFile = (
  { id, file }: DatasetOf,
  names: readonly string[],
  learned: Record<string, string>,
  mayServeAi: boolean,
  files: Files,
): DatasetFile =>
  parseDatasetFile(
    {
      ...file(names, learned),
      id,
      ai_clients: mayServeAi,
      source: { type: 'file', path: filesOf(files.staged, id), format: 'ndjson' },
      limits: { rows: MAX_ROWS },
    },
    filesOf(files.directory, id),
  )
