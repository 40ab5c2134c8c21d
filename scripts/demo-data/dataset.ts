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
  /** Who published the numbers first, as far as the package says. */
  publisher: string
  from?: string
  to?: string
}

interface Common {
  id: string
  symbol: string
  name: string
  aliases: string[]
  notes: Note[]
  /** Files whose texts `read` gets, in this order. */
  sources: SourceFile[]
}

export interface BarsSource extends Common {
  type: BarsManifest['type']
  mic: string | null
  basis: BarsManifest['basis']
  volumeBasis: BarsManifest['volume_basis']
  adjustments: BarsManifest['adjustments']
  /** Oldest first. */
  read: (texts: string[]) => BarRow[]
}

export interface SeriesSource extends Common {
  frequency: 'monthly'
  unit: string
  read: (texts: string[]) => { date: string; value: number; estimated: boolean }[]
}

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
  return dataset(source, header, lines, (common) => ({
    kind: 'bars',
    ...common,
    redistribution: 'demo-only',
    type: source.type,
    mic: source.mic,
    currency: 'USD',
    timezone: 'America/New_York',
    interval: '1d',
    basis: source.basis,
    volume_basis: source.volumeBasis,
    adjustments: source.adjustments,
  }))
}

/** An economic series as gzipped CSV with columns date, value and estimated (1 or empty). */
export function seriesDataset(source: SeriesSource, texts: string[]): Dataset {
  const lines = source.read(texts).map(({ date, value, estimated }) => `${date},${value},${estimated ? 1 : ''}`)
  return dataset(source, ['date', 'value', 'estimated'], lines, (common) => ({
    kind: 'series',
    ...common,
    redistribution: 'open',
    frequency: source.frequency,
    unit: source.unit,
  }))
}

type CommonManifest = Omit<Extract<Manifest, { kind: 'series' }>, 'kind' | 'redistribution' | 'frequency' | 'unit'>

function dataset(
  source: Common,
  header: string[],
  lines: string[],
  make: (common: CommonManifest) => Manifest,
): Dataset {
  const bytes = gzipSync(`${[header.join(','), ...lines].join('\n')}\n`, { level: 9 })
  const { id, symbol, name, aliases, notes } = source
  const dateOf = (line: string | undefined) => line!.slice(0, line!.indexOf(','))
  const manifest = make({
    id,
    symbol,
    name,
    aliases,
    file: `${id}.csv.gz`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: lines.length,
    first: dateOf(lines[0]),
    last: dateOf(lines.at(-1)),
    notes,
    sources: source.sources.map(({ package: packageName, path, publisher, from, to }) => {
      const { name: npmName, version, sha256, licence } = packages[packageName]
      return { package: npmName, version, package_sha256: sha256, path, licence, publisher, from, to }
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
