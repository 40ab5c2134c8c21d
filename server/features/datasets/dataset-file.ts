import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { adjusts, instrumentTypes, seriesFrequencies } from '../market-data/manifest.ts'
import { manifestProblems } from './manifest-problems.ts'

const name = z.string().min(1).max(200)
const MAX_ROWS = 3_000_000

const fileSource = z.strictObject({
  type: z.literal('file'),
  /** A path or pattern relative to the manifest (`prices/*.csv.gz`), or `-` for standard input. */
  path: z.string().min(1),
  /** By file extension if absent. */
  format: z.enum(['csv', 'ndjson', 'parquet']).optional(),
  delimiter: z.string().length(1).optional(),
})

const sqlSource = z.strictObject({
  type: z.literal('sql'),
  /** Name of the environment variable that holds the connection string. */
  connection: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  query: z.string().min(1),
  timeout_seconds: z.int().min(1).max(3600).default(300),
  /** Bars stay in the database, and are read when a call needs them. */
  on_demand: z.boolean().default(false),
  /** Of such a read. Less than half of a tool's deadline, because it may have to wait for a connection first. */
  deadline_ms: z.int().min(100).max(4_500).default(4_000),
  /** Such reads at once, in each process. */
  queries: z.int().min(1).max(100).default(4),
})

const httpSource = z.strictObject({
  type: z.literal('http'),
  /** With `{name}` for the values of `each` and `{secret}` for the secret. */
  url: z.string().regex(/^https?:\/\//),
  headers: z.record(z.string(), z.string()).default({}),
  /** Name of the environment variable that fills `{secret}` in `url` or `headers`. */
  secret: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .optional(),
  /** One request, or chain of pages, per entry. */
  each: z.array(z.record(z.string(), z.string())).min(1).default([{}]),
  format: z.enum(['json', 'csv']).default('json'),
  /** Path of the row list in a JSON answer: `observations`, `units.USD`. Absent: the answer is the list. */
  rows: z.string().optional(),
  /** Only rows with these values: `{ form: 10-K }`. */
  keep: z.record(z.string(), z.string()).default({}),
  /** Path of the next page's URL in a JSON answer. */
  next: z.string().optional(),
  budget: z.strictObject({ requests: z.int().min(1), per: z.enum(['minute', 'day']) }).optional(),
  cache_seconds: z.int().min(0).default(3600),
  timeout_seconds: z.int().min(1).max(300).default(30),
})

const codeSource = z.strictObject({
  type: z.literal('code'),
  /** A TypeScript or JavaScript module relative to the manifest, whose default export is a DataProvider. */
  module: z.string().min(1),
  timeout_seconds: z.int().min(1).max(3600).default(300),
})

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'expected lower case letters, digits and hyphens' }),
  name,
  source: z.discriminatedUnion('type', [fileSource, sqlSource, httpSource, codeSource]),
  /** Maps our fields to theirs. `$name` is a value of `each`, `=text` a constant. */
  fields: z.record(z.string(), z.string()),
  dates: z.enum(['iso', 'yyyymmdd', 'dmy', 'mdy', 'unix_s', 'unix_ms']).default('iso'),
  decimal: z.enum(['.', ',']).default('.'),
  /** Texts that mean no value. */
  missing: z.array(z.string()).default(['', '.', 'NA', 'null']),
  license: name,
  publisher: name,
  redistribution: z.enum(['open', 'internal', 'delayed']),
  /** Names or price ids of the plans that may read it; absent: every account. */
  plans: z.array(z.string().trim().toLowerCase().min(1)).min(1).optional(),
  /** false: the terms forbid giving it to AI clients, so it is not served over MCP. */
  ai_clients: z.boolean().default(true),
  notes: z.array(z.string()).default([]),
  limits: z.strictObject({ rows: z.int().min(1).default(MAX_ROWS) }).default({ rows: MAX_ROWS }),
}

const instrument = z.strictObject({
  name: name.optional(),
  type: z.enum(instrumentTypes).optional(),
  mic: z.string().length(4).nullable().optional(),
  currency: z.string().length(3).optional(),
  aliases: z.array(z.string()).optional(),
})

function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

const bars = z.strictObject({
  kind: z.literal('bars'),
  ...common,
  interval: z.enum(['1d', '1m']).default('1d'),
  /** Exchange whose sessions the days must match (XNYS, XNAS, XLON, XETR, XTKS); absent: gaps are not checked. */
  calendar: z.string().optional(),
  /** The zone of times without one, also named in answers. */
  timezone: z.string().refine(isZone, { error: 'expected a time zone such as Europe/Berlin or UTC' }).default('UTC'),
  basis: z.enum(adjusts).default('none'),
  volume_basis: z.enum(['none', 'splits']).default('none'),
  type: z.enum(instrumentTypes).default('stock'),
  mic: z.string().length(4).nullable().default(null),
  currency: z.string().length(3),
  /** Maps their symbols to ours. */
  symbol_map: z.record(z.string(), z.string()).default({}),
  /** Facts about single symbols. */
  instruments: z.record(z.string(), instrument).default({}),
})

const series = z.strictObject({
  kind: z.literal('series'),
  ...common,
  frequency: z.enum(seriesFrequencies),
  /** The series are currency rates: units of their `currency` for one of this. */
  base: z.string().length(3).optional(),
  series: z
    .record(
      z.string().regex(/^[A-Z0-9][A-Z0-9._]*$/, { error: 'expected an id such as US.GDP' }),
      z.strictObject({
        name,
        unit: name,
        aliases: z.array(z.string()).default([]),
        currency: z.string().length(3).optional(),
      }),
    )
    .refine((list) => Object.keys(list).length > 0, { error: 'name at least one series' }),
  /** What to do with a second value for the same date: `last` keeps it (revisions), `error` rejects it. */
  duplicates: z.enum(['error', 'last']).default('error'),
})

const statements = z.strictObject({ kind: z.literal('statements'), ...common, currency: z.string().length(3) })
const filings = z.strictObject({ kind: z.literal('filings'), ...common })
const companies = z.strictObject({ kind: z.literal('companies'), ...common })

const kinds = z.discriminatedUnion('kind', [bars, series, statements, filings, companies])

/** `licence` was the documented key before `license`, and is still read. */
const datasetFile = z.preprocess((given) => {
  if (!given || typeof given !== 'object' || !('licence' in given) || 'license' in given) return given
  const { licence, ...rest } = given
  return { ...rest, license: licence }
}, kinds)

export type DatasetFile = z.output<typeof datasetFile> & { directory: string }
export type BarsFile = Extract<DatasetFile, { kind: 'bars' }>
export type SeriesFile = Extract<DatasetFile, { kind: 'series' }>
export type Source = DatasetFile['source']

/** Reads one `datasets/*.yaml`. Throws with file, field and reason of every problem. */
export async function readDatasetFile(path: string): Promise<DatasetFile> {
  let given: unknown
  try {
    given = parse(await readFile(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw new Error(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${message}`)
  }
  return parseDatasetFile(given, path)
}

/** The same from an object; `path` names it in messages, and its folder is where relative paths begin. */
export function parseDatasetFile(given: unknown, path: string): DatasetFile {
  const parsed = datasetFile.safeParse(given)
  if (!parsed.success)
    throw new Error(`${path} is not a dataset manifest:\n- ${manifestProblems(parsed.error).join('\n- ')}`)
  return { ...parsed.data, directory: dirname(resolve(path)) }
}
