import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BarsManifest, Manifest, Note } from '#server/features/market-data/manifest.ts'
import { type PackageName, packages } from './packages.ts'
import type { BarRow } from './rows.ts'

interface SourceFile {
  package: PackageName
  path: string
  /** The original publisher of the numbers, as far as the package says. */
  publisher: string
  from?: string
  to?: string
}

interface Common {
  id: string
  name: string
  notes: Note[]
  /** Source files; `read` gets their texts in this order. */
  sources: SourceFile[]
}

export interface BarsSource extends Common {
  symbol: string
  aliases: string[]
  type: BarsManifest['type']
  mic: string | null
  timezone?: string
  /** 1d: dates. 1m: UTC instants such as 2016-04-15T13:30Z. */
  interval?: BarsManifest['interval']
  basis: BarsManifest['basis']
  volumeBasis: BarsManifest['volume_basis']
  adjustments: BarsManifest['adjustments']
  /** Oldest first. */
  read: (texts: string[]) => BarRow[]
}

/**
 * Any other dataset: a table whose manifest describes its columns. `dates` is the column that determines first and
 * last.
 */
export interface TableSource extends Common {
  redistribution?: Manifest['redistribution']
  dates: number
  manifest: TableManifest
  header: string[]
  /** Cells in the order of the header; null is an empty cell. */
  read: (texts: string[]) => (string | number | null)[][]
}
type TableManifest = DistributiveOmit<Exclude<Manifest, { kind: 'bars' }>, keyof CommonManifest>
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never
type CommonManifest = Pick<
  Manifest,
  'id' | 'name' | 'file' | 'sha256' | 'rows' | 'first' | 'last' | 'redistribution' | 'notes' | 'sources'
>

type SeriesSource = Omit<TableSource, 'dates' | 'manifest' | 'header' | 'notes'> &
  Pick<Extract<TableManifest, { kind: 'series' }>, 'frequency' | 'series'> & { notes?: Note[] }

/** A table with a date and a column for each series. */
export const seriesTable = ({ frequency, series, notes = [], ...source }: SeriesSource): TableSource => ({
  ...source,
  notes,
  dates: 0,
  manifest: { kind: 'series', frequency, series },
  header: ['date', ...series.map(({ column }) => column)],
})

/** A file and its manifest, ready to be written. */
export interface Dataset {
  manifest: Manifest
  bytes: Buffer
}

/** Daily bars as gzipped CSV; columns adj_close, split and dividend only where the source has them. */
export function barsDataset(source: BarsSource, texts: string[]): Dataset {
  const rows = source.read(texts)
  checkBars(source.id, rows)
  const extra = (['adjClose', 'split', 'dividend'] as const).filter((name) =>
    rows.some((row) => row[name] !== undefined),
  )
  const header = [
    'date',
    'open',
    'high',
    'low',
    'close',
    'volume',
    ...extra.map((name) => (name === 'adjClose' ? 'adj_close' : name)),
  ]
  const lines = rows.map((row) =>
    [row.date, row.open, row.high, row.low, row.close, row.volume, ...extra.map((name) => row[name] ?? '')].join(','),
  )
  const dates = rows.map(({ date }) => date.slice(0, 10))
  return dataset(source, 'demo-only', header, lines, dates, (common) => ({
    kind: 'bars',
    ...common,
    symbol: source.symbol,
    aliases: source.aliases,
    type: source.type,
    mic: source.mic,
    currency: 'USD',
    timezone: source.timezone ?? 'America/New_York',
    interval: source.interval ?? '1d',
    basis: source.basis,
    volume_basis: source.volumeBasis,
    adjustments: source.adjustments,
  }))
}

/** Any other table as gzipped CSV. */
export function tableDataset(source: TableSource, texts: string[]): Dataset {
  const rows = source.read(texts)
  const lines = rows.map((row) => row.map((cell) => (cell === null ? '' : csvCell(String(cell)))).join(','))
  const dates = rows.map((row) => String(row[source.dates])).sort()
  return dataset(source, source.redistribution ?? 'open', source.header, lines, dates, (common) => ({
    ...common,
    ...source.manifest,
  }))
}

const csvCell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function dataset(
  source: Common,
  redistribution: Manifest['redistribution'],
  header: string[],
  lines: string[],
  dates: string[],
  make: (common: CommonManifest) => Manifest,
): Dataset {
  const bytes = gzipSync(`${[header.join(','), ...lines].join('\n')}\n`, { level: 9 })
  const { id, name, notes } = source
  const manifest = make({
    id,
    name,
    file: `${id}.csv.gz`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: lines.length,
    first: dates[0]!,
    last: dates.at(-1)!,
    redistribution,
    notes,
    sources: source.sources.map(({ package: packageName, path, publisher, from, to }) => {
      const { name: npmName, version, sha256, license } = packages[packageName]
      return { package: npmName, version, package_sha256: sha256, path, licence: license, publisher, from, to }
    }),
  })
  return { manifest, bytes }
}

/** Throws on the first bar that is out of order or whose prices contradict each other. */
function checkBars(id: string, rows: BarRow[]): void {
  rows.forEach((row, index) => {
    const ordered = index === 0 || rows[index - 1]!.date < row.date
    const sane = row.low > 0 && row.low <= Math.min(row.open, row.close) && row.high >= Math.max(row.open, row.close)
    if (!ordered || !sane || !(row.volume >= 0)) throw new Error(`${id}: faulty bar ${JSON.stringify(row)}`)
  })
}

/** Writes the file and its manifest into `directory`. */
export async function writeDataset(directory: string, { manifest, bytes }: Dataset): Promise<void> {
  await writeFile(join(directory, manifest.file), bytes)
  await writeFile(join(directory, `${manifest.id}.json`), `${JSON.stringify(manifest, null, 2)}\n`)
}
