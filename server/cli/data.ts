/** The operator's own data: npm run data -- <act> ... */
import { join, resolve } from 'node:path'
import { type Config, loadConfig } from '../config/config.ts'
import { connectorLines, runLines } from '../features/datasets/connectors/describe.ts'
import { fetchConnector, lastRuns, selected } from '../features/datasets/connectors/fetch-connector.ts'
import { connectors } from '../features/datasets/connectors/list.ts'
import { connectorsRoot } from '../features/datasets/connectors/run-state.ts'
import { changeSchedule, readSchedule } from '../features/datasets/connectors/schedule.ts'
import { readDatasetFile } from '../features/datasets/dataset-file.ts'
import { type ImportOptions, importDataset, readDataset } from '../features/datasets/import-dataset.ts'
import { progressLine } from '../features/datasets/progress-line.ts'
import { publishedFolder, publishedPlace } from '../features/datasets/published-place.ts'
import { quarterLines, servedMarket } from '../features/datasets/quarter-report.ts'
import { type Report, reportLines } from '../features/datasets/report.ts'
import { uploadVersions } from '../features/datasets/upload-versions.ts'
import { versionStore } from '../features/datasets/version-store.ts'
import { runFromCommandLine } from '../features/operator/console/run-act.ts'
import { offerOwnOnly } from '../features/shop/offer-own-only.ts'
import { startSources } from '../sandbox-peers.ts'
import { type Connection, connectToRunning } from './connect.ts'
import { print, printError, printText } from './print.ts'
import { chooseAct, readWords, refuseWords } from './read-words.ts'

const usage = `npm run data -- validate <manifest.yaml>    reads and checks a dataset, writes nothing
npm run data -- import <manifest.yaml>      checks it and writes a version that is not served yet
npm run data -- publish <manifest.yaml>     imports it and serves the new version
npm run data -- publish <id> [--version V]  serves the newest version imported, or V
npm run data -- list                        the served datasets and the stored versions
npm run data -- upload                      copies what is served in FINMETER_DATA_DIR to the bucket in DATA_URL
npm run data -- connectors                  the sources of current data, their terms and their last runs
npm run data -- fetch <connector>           fetches what is new, checks it and serves it
    --contact you@example.com               your email address, sent to the source; some require it
    --symbols AAPL,NVDA, --index sp500      the companies or symbols; later runs also fetch them
    --sandbox                               recorded responses instead of the source
npm run data -- schedule [connector]        what servers fetch on their own; with a name, adds it (--off removes it)
npm run data -- runs [connector]            the last run of each connector, as JSON
npm run data -- quarters                    fiscal years that are not the sum of their quarters, and why
Where the database runs, changes are in the operators' log, with --reason <text> if you give one.`

const { words, values } = readWords(usage, {
  version: { type: 'string' },
  contact: { type: 'string' },
  off: { type: 'boolean', default: false },
  symbols: { type: 'string' },
  index: { type: 'string' },
  sandbox: { type: 'boolean', default: false },
  'sandbox-answers': { type: 'string' },
  reason: { type: 'string' },
})
const [act, subject] = words
const config = readSettings()
const place = publishedPlace(config)
const store = versionStore(place)
const demoDirectory = join(import.meta.dirname, '../../data/demo')

const acts: Record<string, (() => Promise<void>) | undefined> = {
  validate: () => withDataset(async (dataset, options) => show((await readDataset(dataset, options)).report)),
  import: () =>
    withDataset(async (dataset, options) => {
      const { report, version } = await importDataset(dataset, options)
      show(report)
      print(
        version ? `Version ${version} can be published: npm run data -- publish ${dataset.id}` : 'Nothing was written.',
      )
    }),
  async publish() {
    if (!subject) refuseWords(usage)
    let id = subject
    let { version } = values
    if (/\.ya?ml$/.test(subject))
      await withDataset(async (dataset, options) => {
        const imported = await importDataset(dataset, options)
        show(imported.report)
        if (!imported.version) throw new Error('Nothing was published because of the errors above.')
        id = dataset.id
        version = imported.version
      })
    const { manifest, version: served } = await store.publish(id, version)
    print(
      `${id} ${served} is served: ${manifest.rows.toLocaleString('en-US')} rows, ${manifest.first} to ${manifest.last}.`,
    )
    print(`Readable by: ${readers(manifest)}.`)
    await withDatabase(async ({ db }) => {
      const offer = await offerOwnOnly(db.kysely, true)
      if (offer) print(offer)
    })
    await note('dataset.published', id, { version: served })
  },
  async upload() {
    if (typeof place === 'string') throw new Error('Set DATA_URL to the bucket, such as s3://bucket/finmeter.')
    for (const line of await uploadVersions(publishedFolder(config), place)) print(line)
  },
  async connectors() {
    for (const line of await connectorLines(connectorsRoot(config))) print(line)
  },
  async schedule() {
    const directory = connectorsRoot(config)
    if (subject) {
      await changeSchedule(config, subject, !values.off, values.contact ?? null)
      await note(values.off ? 'data.unscheduled' : 'data.scheduled', subject, { on: !values.off })
    }
    const entries = Object.entries(await readSchedule(directory))
    if (entries.length === 0) print('Servers fetch nothing on their own.')
    for (const [name, { contact }] of entries)
      print(`${name}  ${connectors.get(name)?.manifest.schedule} (UTC)${contact ? `  ${contact}` : ''}`)
  },
  async runs() {
    printText(JSON.stringify(await lastRuns(connectorsRoot(config), subject), null, 2))
  },
  async quarters() {
    const { statements } = await servedMarket(demoDirectory, place)
    for (const line of quarterLines(statements.filed)) print(line)
  },
  async fetch() {
    if (!subject) refuseWords(usage)
    const { contact, symbols, index, sandbox } = values
    const answers = values['sandbox-answers'] ?? null
    const report = await fetchConnector(subject, {
      config,
      published: place,
      contact: contact ?? null,
      selection: await selected({ symbols, index }, demoDirectory),
      sources: sandbox || answers ? await startSources(answers) : null,
    })
    for (const line of runLines(report)) print(line)
    if (report.outcome === 'published') await note('data.fetched', subject, {})
    if (report.outcome !== 'published' && report.outcome !== 'unchanged') process.exitCode = 1
  },
  async list() {
    const served = await store.served()
    if (served.length === 0) print('No datasets are published.')
    for (const { id, version } of served) {
      const { manifest } = await store.read(id, version)
      const others = (await store.versions(id)).filter((one) => one !== version)
      const kept = others.length > 0 ? `; also kept: ${others.join(', ')}` : ''
      print(
        `${id}  ${version}  ${manifest.rows.toLocaleString('en-US')} rows  ${manifest.first} to ${manifest.last}${kept}`,
      )
    }
  },
}

function readSettings(): Config {
  try {
    return loadConfig(process.env)
  } catch (error) {
    printError(error as Error)
    process.exit(1)
  }
}

/** Publishing needs no database, so none that cannot be used makes it fail. */
async function withDatabase(work: (connection: Connection) => Promise<unknown>): Promise<void> {
  const connection = await connectToRunning(process.env, config).catch(() => null)
  if (connection)
    await work(connection)
      .catch(() => {})
      .finally(connection.close)
}

/** Notes in the operators' log what was done. */
async function note(action: string, target: string, after: Record<string, unknown>): Promise<void> {
  const act = { action, target, reason: values.reason }
  await withDatabase(({ db }) =>
    runFromCommandLine(
      db.kysely,
      act,
      async () => {},
      () => after,
    ),
  )
}

/** Who may read it, including the demo key, which people try first. */
function readers({ redistribution, plans }: { redistribution: string; plans?: string[] | undefined }): string {
  if (plans) return `accounts on the plans ${plans.join(', ')}`
  return redistribution === 'open' ? 'everyone, including the demo key' : 'every account, not the demo key'
}

const run = chooseAct(acts, act, usage)
try {
  await run()
} catch (error) {
  printError(error as Error)
  process.exitCode = 1
}

async function withDataset(
  work: (dataset: Awaited<ReturnType<typeof readDatasetFile>>, options: ImportOptions) => Promise<void>,
): Promise<void> {
  if (!subject) refuseWords(usage)
  const line = progressLine(process.stderr)
  try {
    const dataset = await readDatasetFile(resolve(subject))
    await work(dataset, { published: place, env: process.env, now: Date.now, progress: line.show })
  } finally {
    line.end()
  }
}

function show(report: Report): void {
  for (const line of reportLines(report)) print(line)
  if (report.findings.some(({ severity }) => severity === 'error')) process.exitCode = 1
}
