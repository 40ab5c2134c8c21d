import { createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { readDatasetFile } from '../../server/features/datasets/dataset-file.ts'
import { importDataset } from '../../server/features/datasets/import-dataset.ts'
import { versionStore } from '../../server/features/datasets/version-store.ts'
import { loadPart } from '../../server/features/market-data/dataset-part.ts'
import { assemble, type MarketData } from '../../server/features/market-data/market-data.ts'
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
license: none
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
  const { files, manifest: held } = await versionStore(published).read('syn', version)
  const market = assemble([await loadPart(files, held)])
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

export const speeds = (perSecond: number, perBusySecond: number): string =>
  `${Math.round(perSecond).toLocaleString('en-US')} rows/s; ${Math.round(perBusySecond).toLocaleString('en-US')} per second of processor time`
