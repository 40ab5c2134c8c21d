import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Connector, Row, SourceRequest } from '#server/features/datasets/connectors/connector.ts'
import { parseDatasetFile } from '#server/features/datasets/dataset-file.ts'
import { readDataset } from '#server/features/datasets/import-dataset.ts'
import type { Manifest, Note } from '#server/features/market-data/manifest.ts'
import { ecb } from '../../datasets/connectors/ecb/connector.ts'
import { sec } from '../../datasets/connectors/sec/connector.ts'
import { treasury } from '../../datasets/connectors/treasury/connector.ts'
import type { Dataset } from './dataset.ts'
import { type PackageName, packages } from './packages.ts'

/** A recorded answer of a source, and what the connector would have asked to get it. */
interface Answer {
  package: PackageName
  request: Partial<SourceRequest>
}

interface RecordedSource {
  id: string
  name: string
  connector: Connector
  /** Of the connector's datasets. */
  dataset: string
  notes: Note[]
  answers: Answer[]
}

const company = (name: PackageName, cik: string, symbols: string, mic: string): Answer => ({
  package: name,
  request: { part: `facts-${cik}`, about: { cik, symbols, mic } },
})

/** Answers of public sources, read by the connectors that fetch them. */
export const recorded: RecordedSource[] = [
  {
    id: 'sec-filings',
    name: 'Statements that Apple, Nvidia, Alphabet and Logistic Properties filed with the SEC',
    connector: sec,
    dataset: 'sec-statements',
    notes: [{ text: 'A sample of four companies with the tags of about 25 lines; other lines are empty here.' }],
    answers: [
      company('secApple', '0000320193', 'AAPL', 'XNAS'),
      company('secNvidia', '0001045810', 'NVDA', 'XNAS'),
      company('secAlphabet', '0001652044', 'GOOGL GOOG', 'XNAS'),
      company('secLogistic', '0001997711', 'LPA', ''),
    ],
  },
  {
    id: 'us-treasury-yields',
    name: 'US Treasury par yields, a sample of days from 1990 to 2026',
    connector: treasury,
    dataset: 'treasury-yields',
    notes: [
      {
        text: 'A sample: 652 days of 1990, 2001, 2008, 2021 to 2023 and 2026.',
      },
    ],
    answers: [
      { package: 'treasuryArchive', request: { part: '' } },
      { package: 'treasury2023', request: { part: '' } },
      { package: 'treasury2026', request: { part: '' } },
    ],
  },
  {
    id: 'ecb-rates',
    name: 'Euro foreign exchange reference rates, a sample of days from 1999 to April 2026',
    connector: ecb,
    dataset: 'ecb-reference-rates',
    notes: [{ text: 'A sample: some months since 1999, and every day from October 7, 2025 to April 13, 2026.' }],
    answers: [{ package: 'ecbHistory', request: { part: '1-history' } }],
  },
]

/** The dataset as the connector and the importer of operators' data make it, without what depends on the time of a run. */
export async function recordedDataset({
  id,
  name,
  connector,
  dataset: of,
  notes,
  answers,
}: RecordedSource): Promise<Dataset> {
  const rows: Row[] = []
  for (const { package: source, request } of answers) {
    const bytes = Buffer.from(await recordedText(source))
    rows.push(...(connector.parse(bytes, { url: '', part: '', ...request }, null).rows[of] ?? []))
  }
  const found = connector.datasets.find((one) => one.id === of)!
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-recorded-'))
  try {
    const path = join(directory, 'rows.ndjson')
    await writeFile(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
    const names = [...new Set(rows.map((row) => String(row[found.keys.key])))].sort()
    const file = parseDatasetFile(
      { ...found.file(names, {}), id, name, source: { type: 'file', path, format: 'ndjson' } },
      path,
    )
    const { report, data } = await readDataset(file, {
      published: directory,
      env: {},
      now: () => 0,
      progress: () => {},
    })
    const error = report.findings.find(({ severity }) => severity === 'error')
    if (error || !(data.content instanceof Uint8Array)) throw new Error(`${id}: ${JSON.stringify(error)}`)
    const bytes = Buffer.from(data.content)
    const manifest = {
      ...data.own,
      id,
      name,
      file: data.own.kind === 'filings' ? `${id}.bin` : `${id}.csv.gz`,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      // Rows of the file: days of a table of series, facts of filings.
      rows: data.rows,
      first: data.first,
      last: data.last,
      redistribution: 'open',
      notes: [...file.notes.map((text) => ({ text })), ...notes],
      sources: answers.map(({ package: source }) => {
        const { name: host, version, sha256, license } = packages[source]
        const { attribution } = connector.manifest.terms
        return {
          package: host,
          version,
          package_sha256: sha256,
          path: version,
          licence: license,
          publisher: attribution,
        }
      }),
    } as Manifest
    return { manifest, bytes }
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function recordedText(name: PackageName): Promise<string> {
  const { recorded: file, sha256, version } = packages[name] as (typeof packages)['secApple']
  const bytes = gunzipSync(await readFile(join(import.meta.dirname, '../../datasets/connectors', `${file}.gz`)))
  const actual = createHash('sha256').update(bytes).digest('hex')
  if (actual !== sha256) throw new Error(`${version}: SHA-256 is ${actual}, pinned is ${sha256}.`)
  return bytes.toString('utf8')
}
