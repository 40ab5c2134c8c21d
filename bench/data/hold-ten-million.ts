/**
 * Two separate processes: one writes 10,000,000 bars as a published set, and a fresh one loads them and reports the
 * bytes.
 */
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { columnsAt, loadBarSet, symbolBytes } from '../../server/features/market-data/bars/bar-set.ts'
import type { BarSetManifest } from '../../server/features/market-data/manifest.ts'
import { folderFiles } from '../../server/features/market-data/version-files.ts'
import { dayText, syntheticBars } from './synthetic.ts'

const SYMBOLS = 1_000
const DAYS = 10_000

const [act, directory] = process.argv.slice(2) as ['write' | 'hold', string]

if (act === 'write') await writeFile(join(directory, 'symbols.json'), JSON.stringify(await write()))
else {
  const manifest = manifestOf(JSON.parse(await readFile(join(directory, 'symbols.json'), 'utf8')))
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const held = await loadBarSet(folderFiles(directory), manifest)
  globalThis.gc?.()
  const bytes = process.memoryUsage().rss - before
  process.send?.({ bars: held.reduce((sum, { series }) => sum + series.count, 0), bytes })
}

async function write(): Promise<BarSetManifest['symbols']> {
  const file = await open(join(directory, 'bars.bin'), 'w')
  const symbols: BarSetManifest['symbols'] = []
  const size = symbolBytes(DAYS)
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const buffer = new ArrayBuffer(size)
    const columns = columnsAt(buffer, 0, DAYS)
    for (const bar of syntheticBars(symbol, DAYS)) {
      columns.times[bar.day] = bar.day
      for (const name of ['open', 'high', 'low', 'close', 'volume'] as const) columns[name][bar.day] = bar[name]
    }
    await file.write(new Uint8Array(buffer))
    const name = `SYN.${String(symbol).padStart(4, '0')}`
    symbols.push({
      symbol: name,
      name,
      aliases: [],
      type: 'stock',
      mic: null,
      currency: 'USD',
      first: dayText(0),
      last: dayText(DAYS - 1),
      offset: symbol * size,
      count: DAYS,
      actions: [],
    })
  }
  await file.close()
  return symbols
}

function manifestOf(symbols: BarSetManifest['symbols']): BarSetManifest {
  return {
    kind: 'bar_set',
    id: 'syn',
    name: 'Synthetic bars',
    file: 'bars.bin',
    sha256: '0'.repeat(64),
    rows: SYMBOLS * DAYS,
    first: dayText(0),
    last: dayText(DAYS - 1),
    redistribution: 'internal',
    notes: [],
    sources: [],
    currency: 'USD',
    timezone: 'UTC',
    interval: '1d',
    basis: 'none',
    volume_basis: 'none',
    symbols,
  }
}
