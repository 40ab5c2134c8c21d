import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Action, makeAdjustments } from './adjustment.ts'
import { type BarSeries, firstOnOrAfter } from './bar-series.ts'
import { parseDay } from './dates.ts'
import type { Adjust, BarsManifest, Manifest, SeriesManifest } from './manifest.ts'

/** Monthly observations, oldest first; a month is dated by its first day. */
export interface EconomicSeries {
  days: Int32Array
  values: Float64Array
  /** 1 where the value is an estimate of the source. */
  estimated: Uint8Array
}

/** The bars of a dataset. Throws when the file is not the one that the manifest describes. */
export async function loadBars(directory: string, manifest: BarsManifest): Promise<BarSeries> {
  const { header, lines } = await readCsv(directory, manifest)
  const size = lines.length
  const column = () => new Float64Array(size)
  const bars = {
    days: new Int32Array(size),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
  const extra = (name: string) => (header.includes(name) ? header.indexOf(name) : null)
  const [splitAt, dividendAt, closeAt] = [extra('split'), extra('dividend'), extra('adj_close')]
  const publishedClose = closeAt === null ? null : column()
  const actions: Action[] = []
  lines.forEach((line, index) => {
    const cells = line.split(',')
    bars.days[index] = parseDay(cells[0]!)
    bars.open[index] = Number(cells[1])
    bars.high[index] = Number(cells[2])
    bars.low[index] = Number(cells[3])
    bars.close[index] = Number(cells[4])
    bars.volume[index] = Number(cells[5])
    if (publishedClose) publishedClose[index] = cells[closeAt!] ? Number(cells[closeAt!]) : Number.NaN
    const split = Number((splitAt !== null && cells[splitAt]) || 1)
    const dividend = Number((dividendAt !== null && cells[dividendAt]) || 0)
    if (split !== 1 || dividend !== 0) actions.push({ index, split, dividend })
  })
  const firstIndex: Partial<Record<Adjust, number>> = {}
  for (const [adjust, date] of Object.entries(manifest.adjustments)) {
    firstIndex[adjust as Adjust] = firstOnOrAfter(bars.days, parseDay(date))
  }
  const { basis, volume_basis: volumeBasis } = manifest
  return { ...bars, adjustments: makeAdjustments({ bars, actions, basis, volumeBasis, publishedClose, firstIndex }) }
}

/** The observations of a dataset. Throws when the file is not the one that the manifest describes. */
export async function loadSeries(directory: string, manifest: SeriesManifest): Promise<EconomicSeries> {
  const { lines } = await readCsv(directory, manifest)
  const cells = lines.map((line) => line.split(','))
  return {
    days: Int32Array.from(cells, ([date]) => parseDay(date!)),
    values: Float64Array.from(cells, ([, value]) => Number(value)),
    estimated: Uint8Array.from(cells, ([, , estimated]) => Number(estimated)),
  }
}

async function readCsv(directory: string, manifest: Manifest): Promise<{ header: string[]; lines: string[] }> {
  const path = join(directory, manifest.file)
  const bytes = await readFile(path)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (sha256 !== manifest.sha256)
    throw new Error(`${path} is not the file that ${manifest.id}.json describes: its SHA-256 is ${sha256}.`)
  const [header = '', ...lines] = gunzipSync(bytes).toString('utf8').trimEnd().split('\n')
  if (lines.length !== manifest.rows)
    throw new Error(`${path} holds ${lines.length} rows, its manifest says ${manifest.rows}.`)
  return { header: header.split(','), lines }
}
