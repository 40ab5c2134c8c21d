import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const date = z.iso.date()

/** How prices relate to what was quoted: as quoted, adjusted for splits, or adjusted for splits and dividends. */
export const adjusts = ['splits', 'all', 'none'] as const
export type Adjust = (typeof adjusts)[number]

const note = z.strictObject({
  text: z.string(),
  /** The note matters only to answers with one of these columns. */
  columns: z.array(z.string()).optional(),
  /** The note matters only to answers with rows before this date. */
  before: date.optional(),
})

const source = z.strictObject({
  package: z.string(),
  version: z.string(),
  package_sha256: z.string().length(64),
  path: z.string(),
  licence: z.string(),
  /** Who published the numbers before the package did. */
  publisher: z.string(),
  from: date.optional(),
  to: date.optional(),
})

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  symbol: z.string().min(1),
  name: z.string().min(1),
  aliases: z.array(z.string()),
  file: z.string().regex(/^[\w.-]+$/),
  /** Of the file's bytes. Its beginning is the dataset's version. */
  sha256: z.string().length(64),
  rows: z.int().positive(),
  first: date,
  last: date,
  /** open: may be given on. demo-only: prices that a permissive package took from a publisher; for demonstration. */
  redistribution: z.enum(['open', 'demo-only']),
  notes: z.array(note),
  sources: z.array(source).min(1),
}

const barsManifest = z.strictObject({
  kind: z.literal('bars'),
  ...common,
  type: z.enum(['stock', 'index']),
  /** ISO 10383 code of the exchange; null for indices. */
  mic: z.string().length(4).nullable(),
  currency: z.string().length(3),
  timezone: z.string(),
  interval: z.literal('1d'),
  /** What the file's prices are. */
  basis: z.enum(adjusts),
  /** What the file's volume is; dividends never change volume. */
  volume_basis: z.enum(['none', 'splits']),
  /** The first date from which each adjustment can be served; an adjustment that is absent cannot. */
  adjustments: z.partialRecord(z.enum(adjusts), date),
})

const seriesManifest = z.strictObject({
  kind: z.literal('series'),
  ...common,
  frequency: z.enum(['monthly']),
  unit: z.string(),
})

/** Describes one dataset: what it holds, where it came from, and what may be done with it. */
export const manifest = z.discriminatedUnion('kind', [barsManifest, seriesManifest])
export type Manifest = z.infer<typeof manifest>
export type BarsManifest = z.infer<typeof barsManifest>
export type SeriesManifest = z.infer<typeof seriesManifest>
export type Note = z.infer<typeof note>

/** Every `*.json` of `directory`, in the order of their names. Throws with the file's name when one is not a manifest. */
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
