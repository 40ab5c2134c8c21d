import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const date = z.iso.date()

/** The adjustment of prices: for splits, for splits and dividends, or none (as quoted). */
export const adjusts = ['splits', 'all', 'none'] as const
export type Adjust = (typeof adjusts)[number]

const note = z.strictObject({
  text: z.string(),
  /** The note applies only to answers with one of these columns, or of one of these series. */
  columns: z.array(z.string()).optional(),
  /** The note applies only to answers with rows before this date. */
  before: date.optional(),
})

const source = z.strictObject({
  package: z.string(),
  version: z.string(),
  package_sha256: z.string().length(64),
  path: z.string(),
  licence: z.string(),
  /** Original publisher of the numbers. */
  publisher: z.string(),
  from: date.optional(),
  to: date.optional(),
})

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  name: z.string().min(1),
  file: z.string().regex(/^[\w.-]+$/),
  /** SHA-256 of the file. Its first characters are the dataset's version. */
  sha256: z.string().length(64),
  rows: z.int().positive(),
  first: date,
  last: date,
  /**
   * open: may be redistributed. demo-only: prices from a permissively licensed package, for demonstration. internal,
   * delayed: as agreed with the publisher, never without an account.
   */
  redistribution: z.enum(['open', 'demo-only', 'internal', 'delayed']),
  /** Names (lower case) or price ids of the plans that may read it; absent: every account. */
  plans: z.array(z.string().min(1)).min(1).optional(),
  /** false: the source's terms forbid giving it to AI clients, so it is not served over MCP. */
  ai_clients: z.boolean().optional(),
  notes: z.array(note),
  sources: z.array(source).min(1),
  /** When a connector last read the source without finding anything wrong. */
  retrieved_at: z.iso.datetime().optional(),
  /** Older than this, the data is stale. */
  stale_after_hours: z.number().positive().optional(),
}

export const instrumentTypes = ['stock', 'index', 'crypto'] as const

const barsManifest = z.strictObject({
  kind: z.literal('bars'),
  ...common,
  symbol: z.string().min(1),
  aliases: z.array(z.string()),
  type: z.enum(instrumentTypes),
  /** ISO 10383 code of the exchange; null for indices and coins. */
  mic: z.string().length(4).nullable(),
  currency: z.string().length(3),
  timezone: z.string(),
  /** 1d: dated by exchange calendar. 1m: dated by the UTC instant of the bar's open, first and last by its UTC day. */
  interval: z.enum(['1d', '1m']),
  /** The adjustment of the file's prices. */
  basis: z.enum(adjusts),
  /** The adjustment of the file's volume; dividends never change volume. */
  volume_basis: z.enum(['none', 'splits']),
  /** The first date from which each adjustment is available. A missing one is unavailable. */
  adjustments: z.partialRecord(z.enum(adjusts), date),
})

export const seriesFrequencies = ['daily', 'monthly', 'quarterly', 'annual'] as const

const seriesManifest = z.strictObject({
  kind: z.literal('series'),
  ...common,
  frequency: z.enum(seriesFrequencies),
  /** The series are currency rates: units of their `currency` for one of this. */
  base: z.string().length(3).optional(),
  /** One series for each column of the file after `date`. */
  series: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        column: z.string(),
        name: z.string(),
        unit: z.string(),
        aliases: z.array(z.string()),
        currency: z.string().length(3).optional(),
      }),
    )
    .min(1),
})

/** What bars of many symbols have in common, and what each of their symbols has. */
const barsOfMany = {
  ...common,
  currency: z.string().length(3),
  timezone: z.string(),
  interval: z.enum(['1d', '1m']),
  basis: z.enum(adjusts),
  volume_basis: z.enum(['none', 'splits']),
}
const oneOfMany = {
  symbol: z.string().min(1),
  name: z.string(),
  aliases: z.array(z.string()),
  type: z.enum(instrumentTypes),
  mic: z.string().length(4).nullable(),
  currency: z.string().length(3),
  first: date,
  last: date,
}

/** Bars of many symbols in one binary file, as versions before blocks were published: see bar-set.ts. */
const barSetManifest = z.strictObject({
  kind: z.literal('bar_set'),
  ...barsOfMany,
  symbols: z.array(
    z.strictObject({
      ...oneOfMany,
      /** Byte at which the symbol's columns begin, and how many bars they hold. */
      offset: z.int().min(0),
      count: z.int().positive(),
      /** Index of the bar, new shares for one old share, dividend per share. */
      actions: z.array(z.tuple([z.int().min(0), z.number().positive(), z.number().min(0)])),
    }),
  ),
})

/** Bars that stay in a PostgreSQL database: see sql-blocks.ts. */
const onDemand = z.strictObject({
  /** Name of the environment variable that holds the connection string. */
  connection: z.string(),
  query: z.string(),
  /** Columns of the query. */
  columns: z.strictObject({
    ...{ symbol: z.string(), date: z.string(), open: z.string(), high: z.string(), low: z.string(), close: z.string() },
    volume: z.string().optional(),
  }),
  deadline_ms: z.int().positive(),
  queries: z.int().positive(),
})
export type OnDemand = z.infer<typeof onDemand>

/** Bars of many symbols in blocks that are read on demand, published from an operator's data: see bar-store. */
const barBlocksManifest = z.strictObject({
  kind: z.literal('bar_blocks'),
  ...barsOfMany,
  /** How many blocks the file has; their table stands at its end. */
  blocks: z.int().positive(),
  /** The file has only the table, and the bars are read from a database. */
  on_demand: onDemand.optional(),
  symbols: z.array(
    z.strictObject({
      ...oneOfMany,
      count: z.int().positive(),
      /** Its first block, and how many it has. */
      at: z.tuple([z.int().min(0), z.int().positive()]),
      /** Its name in the database, if that is another. */
      source_symbol: z.string().optional(),
      /** Minutes: the first block of the days made of them, how many blocks, how many days. */
      days: z.tuple([z.int().min(0), z.int().positive(), z.int().positive()]).optional(),
      /** Index and time of the bar, new shares for one old share, dividend per share, and the close before, as published. */
      actions: z.array(
        z.tuple([z.int().min(0), z.int(), z.number().positive(), z.number().min(0), z.number().nullable()]),
      ),
    }),
  ),
})

/** Annual statements: columns symbol, period_end, fiscal_year, and one column per line, in whole currency units. */
const statementsManifest = z.strictObject({ kind: z.literal('statements'), ...common, currency: z.string().length(3) })
/**
 * What companies filed, to make statements as known on any day: see filings-file.ts. The file has one packed block for each
 * company, and one with the annual statements of all.
 */
const filingsManifest = z.strictObject({
  kind: z.literal('filings'),
  ...common,
  annual: z.strictObject({ offset: z.int().min(0), length: z.int().positive() }),
  companies: z.array(
    z.strictObject({
      symbols: z.array(z.string().min(1)).min(1),
      cik: z.string(),
      name: z.string(),
      offset: z.int().min(0),
      length: z.int().positive(),
      facts: z.int().positive(),
    }),
  ),
})
/** Listed companies: symbol, name, mic, sector, industry, cik. */
const companiesManifest = z.strictObject({ kind: z.literal('companies'), ...common })
/** Currency rates: date, currency, and units of the currency for one `base`. */
const ratesManifest = z.strictObject({ kind: z.literal('rates'), ...common, base: z.string().length(3) })
/** ISO 4217: code, name, digits. */
const currenciesManifest = z.strictObject({ kind: z.literal('currencies'), ...common })

/** Describes one dataset: its content, its sources, and its permitted use. */
export const manifest = z.discriminatedUnion('kind', [
  barsManifest,
  barSetManifest,
  barBlocksManifest,
  seriesManifest,
  statementsManifest,
  filingsManifest,
  companiesManifest,
  ratesManifest,
  currenciesManifest,
])
export type Manifest = z.infer<typeof manifest>
export type BarsManifest = z.infer<typeof barsManifest>
export type BarSetManifest = z.infer<typeof barSetManifest>
export type FilingsManifest = z.infer<typeof filingsManifest>
export type BarBlocksManifest = z.infer<typeof barBlocksManifest>
export type SeriesManifest = z.infer<typeof seriesManifest>
export type Note = z.infer<typeof note>

/** Whether the dataset is one file with the bars of many symbols. */
export const isBarFile = (one: Manifest): one is BarSetManifest | BarBlocksManifest =>
  one.kind === 'bar_set' || one.kind === 'bar_blocks'

/** Every `*.json` of `directory`, in name order. Throws with the file's name when one is not a manifest. */
export async function readManifests(directory: string): Promise<Manifest[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    names.map(async (name) => {
      const parsed = manifest.safeParse(JSON.parse(await readFile(join(directory, name), 'utf8')))
      if (!parsed.success)
        throw new Error(`${join(directory, name)} is not a dataset manifest:\n${z.prettifyError(parsed.error)}`)
      return parsed.data
    }),
  )
}
