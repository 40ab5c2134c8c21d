import { createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { readDatasetFile } from '../../server/features/datasets/dataset-file.ts'
import { importDataset } from '../../server/features/datasets/import-dataset.ts'
import { versionStore } from '../../server/features/datasets/version-store.ts'
import { loadPart } from '../../server/features/market-data/dataset-part.ts'
import { assemble, type MarketData } from '../../server/features/market-data/market-data.ts'
import { getBars } from '../../server/features/market-data/tools/get-bars.ts'
import { restBody } from '../../server/features/tools/rest-body.ts'
import { csvHeader, csvLine, DAYS, SYMBOLS, syntheticBars } from './synthetic.ts'
import { type Line, processorSeconds } from './timing.ts'

/** Writes the synthetic bars as CSV; returns its path. */
export async function writeCsv(directory: string): Promise<string> {
  const path = join(directory, 'syn.csv')
  const out = createWriteStream(path)
  out.write(csvHeader)
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    let text = ''
    for (const bar of syntheticBars(symbol, DAYS)) text += csvLine(bar)
    if (!out.write(text)) await new Promise<void>((resolve) => out.once('drain', () => resolve()))
  }
  out.end()
  await finished(out)
  return path
}

const manifest = `id: syn
name: Synthetic bars
kind: bars
source: { type: file, path: syn.csv }
fields: { symbol: symbol, date: date, open: open, high: high, low: low, close: close, volume: volume }
currency: USD
licence: none
publisher: the bench
redistribution: internal
`

/** Imports the CSV with every check, and loads what was written. */
export async function importAll(directory: string): Promise<{ market: MarketData; lines: Line[] }> {
  await writeFile(join(directory, 'syn.yaml'), manifest)
  const dataset = await readDatasetFile(join(directory, 'syn.yaml'))
  const published = join(directory, 'published')
  const options = { published, env: {}, now: Date.now, progress: () => {} }
  let imported: Awaited<ReturnType<typeof importDataset>> | undefined
  const started = performance.now()
  const busy = await processorSeconds(async () => {
    imported = await importDataset(dataset, options)
  })
  const seconds = (performance.now() - started) / 1000
  const { version, report } = imported!
  if (!version) throw new Error(JSON.stringify(report.findings))
  const { directory: written, manifest: held } = await versionStore(published).read('syn', version)
  const market = assemble([await loadPart(written, held)])
  const { size } = await stat(join(directory, 'syn.csv'))
  const perSecond = report.rows / seconds
  const what = `import of ${report.rows.toLocaleString('en-US')} CSV rows (${Math.round(size / 1e6)} MB), checked and written`
  return {
    market,
    lines: [
      {
        what,
        figure: speeds(perSecond, report.rows / busy),
        target: 'at least 300,000 rows/s',
        met: report.rows / busy >= 300_000,
      },
    ],
  }
}

const speeds = (perSecond: number, perBusySecond: number): string =>
  `${Math.round(perSecond).toLocaleString('en-US')} rows/s; ${Math.round(perBusySecond).toLocaleString('en-US')} per second of processor time`

/** Every symbol's bars as one CSV stream, taken as a socket takes them; memory is looked at after each piece. */
export async function exportAll(market: MarketData): Promise<Line[]> {
  const entry = { tool: getBars } as Parameters<typeof restBody>[0]
  let rows = 0
  let greatest = 0
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const busyBefore = process.cpuUsage()
  const started = performance.now()
  for (const {
    manifest: { symbol, rows: held },
  } of market.catalogue.instruments) {
    const input = getBars.input.parse({ symbol, range: 'max', limit: 1_000_000 })
    const output = getBars.run(input as never, { market, streams: true } as never)
    const { content } = restBody(entry, output, 'csv')
    await pipeline(
      Readable.from(typeof content === 'string' || Buffer.isBuffer(content) ? [content] : content),
      new Writable({
        write(_piece, _encoding, done) {
          greatest = Math.max(greatest, process.memoryUsage.rss() - before)
          setImmediate(done)
        },
      }),
    )
    rows += held
  }
  const perSecond = rows / ((performance.now() - started) / 1000)
  const { user, system } = process.cpuUsage(busyBefore)
  const perBusySecond = rows / ((user + system) / 1e6)
  return [
    {
      what: `export of ${rows.toLocaleString('en-US')} rows as CSV, a stream for each symbol`,
      figure: speeds(perSecond, perBusySecond),
      target: 'at least 500,000 rows/s',
      met: perBusySecond >= 500_000,
    },
    {
      what: 'memory that the process grows by during the export',
      figure: `${Math.round(greatest / 1e6)} MB`,
      target: 'under 100 MB',
      met: greatest < 100e6,
    },
  ]
}
