import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Action, makeAdjustments } from './bars/adjustment.ts'
import { type BarSeries, firstOnOrAfter, heldSeries, seriesOnFirstRead } from './bars/bar-series.ts'
import { MINUTES_PER_DAY, parseDay, parseMinute } from './dates.ts'
import type { Adjust, BarsManifest, Manifest } from './manifest.ts'
import { csvRowsOf } from './sources/csv.ts'
import type { VersionFiles } from './version-files.ts'

/** The bars of a dataset, parsed when they are first read (decision 151). Throws when the file is not the one of its manifest. */
export async function loadBars(files: VersionFiles, manifest: BarsManifest): Promise<BarSeries> {
  const bytes = await readChecked(files, manifest)
  const place = files.placeOf(manifest.file)
  return seriesOnFirstRead(() => toSeries(toTable(bytes, manifest, place), manifest))
}

function toSeries({ header, rows }: Table, manifest: BarsManifest): BarSeries {
  const size = rows.length
  const column = () => new Float64Array(size)
  const bars = {
    times: new Int32Array(size),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
  const parseTime = manifest.interval === '1d' ? parseDay : parseMinute
  const extra = (name: string) => (header.includes(name) ? header.indexOf(name) : null)
  const [splitAt, dividendAt, closeAt] = [extra('split'), extra('dividend'), extra('adj_close')]
  const publishedClose = closeAt === null ? null : column()
  const actions: Action[] = []
  rows.forEach((cells, index) => {
    bars.times[index] = parseTime(cells[0]!)
    bars.open[index] = Number(cells[1])
    bars.high[index] = Number(cells[2])
    bars.low[index] = Number(cells[3])
    bars.close[index] = Number(cells[4])
    bars.volume[index] = Number(cells[5])
    if (publishedClose) publishedClose[index] = cells[closeAt!] ? Number(cells[closeAt!]) : Number.NaN
    const split = Number((splitAt !== null && cells[splitAt]) || 1)
    const dividend = Number((dividendAt !== null && cells[dividendAt]) || 0)
    if (split !== 1 || dividend !== 0) actions.push({ index, time: bars.times[index]!, split, dividend })
  })
  const firstIndex: Partial<Record<Adjust, number>> = {}
  const unit = manifest.interval === '1d' ? 1 : MINUTES_PER_DAY
  for (const [adjust, date] of Object.entries(manifest.adjustments)) {
    firstIndex[adjust as Adjust] = firstOnOrAfter(bars.times, parseDay(date) * unit)
  }
  const { basis, volume_basis: volumeBasis } = manifest
  const closeBefore = ({ index }: Action) => bars.close[index - 1]!
  const adjustments = makeAdjustments({
    count: size,
    closeBefore,
    actions,
    basis,
    volumeBasis,
    publishedClose,
    firstIndex,
  })
  return heldSeries(bars, { actions, adjustments })
}

interface Table {
  header: string[]
  rows: string[][]
}

/** A dataset's file as cells. Throws when the file does not match its manifest. */
export async function readTable(files: VersionFiles, manifest: Manifest): Promise<Table> {
  return toTable(await readChecked(files, manifest), manifest, files.placeOf(manifest.file))
}

async function readChecked(files: VersionFiles, manifest: Manifest): Promise<Buffer> {
  const bytes = await files.whole(manifest.file)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (sha256 === manifest.sha256) return bytes
  throw new Error(
    `${files.placeOf(manifest.file)} is not the file that ${manifest.id}.json describes: its SHA-256 is ${sha256}.`,
  )
}

function toTable(bytes: Buffer, manifest: Manifest, place: string): Table {
  const [header, ...rows] = csvRowsOf(gunzipSync(bytes).toString('utf8'), ',').map(({ cells }) => cells)
  if (rows.length !== manifest.rows)
    throw new Error(`${place} holds ${rows.length} rows, its manifest says ${manifest.rows}.`)
  return { header: header ?? [], rows }
}
