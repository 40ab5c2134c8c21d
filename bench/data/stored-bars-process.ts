/** Two separate processes: one writes minutes as a published version, and a fresh one serves them. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { restBody } from '../../server/features/data-api/rest-body.ts'
import { forgetText } from '../../server/features/data-api/rows/kept-text.ts'
import { createBarMemory } from '../../server/features/market-data/bar-store/bar-memory.ts'
import { createBlockWriter } from '../../server/features/market-data/bar-store/block-writer.ts'
import { heldSeries } from '../../server/features/market-data/bars/bar-series.ts'
import { daysOfMinutes } from '../../server/features/market-data/bars/resample.ts'
import { type HeldSymbol, loadPart } from '../../server/features/market-data/dataset-part.ts'
import { dayText } from '../../server/features/market-data/dates.ts'
import { type BarBlocksManifest, manifest as manifestSchema } from '../../server/features/market-data/manifest.ts'
import { assemble, type MarketData } from '../../server/features/market-data/market-data.ts'
import { getBars } from '../../server/features/market-data/tools/get-bars.ts'
import { folderFiles } from '../../server/features/market-data/version-files.ts'
import { DataLease, withData } from '../../server/features/tools/rows/not-in-memory.ts'
import { spreadBars, spreadOf } from './spread-bars.ts'
import { syntheticMinutes } from './synthetic-minutes.ts'
import { processorSeconds } from './timing.ts'

const BARS_OF_A_SYMBOL = 500_000
const ROWS = 252
const COLD_CALLS = 2_000
const HOT_SYMBOLS = 10
const HOT_BARS = 40_000
const TURNS = 41
const CALLS_OF_A_TURN = 400
/** 2020-01-01, the first day. */
const WEDNESDAY = 18_262
/** Hardly any work, but in another thread: how long it takes says how long threads wait for a core of this machine. */
const elsewhere = promisify(randomBytes)
const MEMORY_MB = Number(process.env.DATA_MEMORY_MB)

const [act, directory, bars] = process.argv.slice(2) as ['write' | 'serve', string, string]
const spread = spreadOf(Number(bars))

if (act === 'write') {
  // Other work on this machine need not wait for it.
  setPriority(10)
  const written = await write()
  const manifest = spread === 1 ? written : await spreadBars(directory, written)
  await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest))
} else process.send?.(await serve())

async function write(): Promise<BarBlocksManifest> {
  const writer = await createBlockWriter(join(directory, 'bars.blocks'))
  const symbols: BarBlocksManifest['symbols'] = []
  for (let at = 0; at < Number(bars) / spread / BARS_OF_A_SYMBOL; at++) {
    const minutes = syntheticMinutes(at, BARS_OF_A_SYMBOL)
    const days = daysOfMinutes(minutes)
    const symbol = `SYN.${String(at).padStart(4, '0')}`
    symbols.push({
      ...{ symbol, name: symbol, aliases: [], type: 'stock', mic: null, currency: 'USD' },
      first: dayText(days.times[0]!),
      last: dayText(days.times.at(-1)!),
      count: BARS_OF_A_SYMBOL,
      at: await writer.add(minutes, '1m'),
      days: [...(await writer.add(days, '1d')), days.times.length],
      actions: [],
    })
  }
  const { sha256, blocks } = await writer.finish()
  await writer.close()
  const { first, last } = symbols[0]!
  return {
    ...{ kind: 'bar_blocks', id: 'syn', name: 'Synthetic minutes', file: 'bars.blocks', sha256, blocks, symbols },
    ...{ rows: symbols.length * BARS_OF_A_SYMBOL, first, last, redistribution: 'internal', notes: [] },
    sources: [
      { package: 'none', version: '0', package_sha256: sha256, path: '', licence: 'none', publisher: 'the bench' },
    ],
    ...{ currency: 'USD', timezone: 'UTC', interval: '1m', basis: 'none', volume_basis: 'none' },
  }
}

export interface StoredBarsFigures {
  bars: number
  fileBytes: number
  startMs: number
  cold: { p50Ms: number; p99Ms: number; calls: number; busyMs: number; idleP99Ms: number }
  maxRssBytes: number
  /** Calls per second of processor time, of memory that holds everything and of the stored bars. */
  hot: { held: number; stored: number; heldKept: number; storedKept: number }
}

async function serve(): Promise<StoredBarsFigures> {
  const path = join(directory, 'bars.blocks')
  // So that bars come from the disk: the process that wrote them left them in the system's memory.
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
  const started = performance.now()
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')))
  const part = await loadPart(folderFiles(directory), manifest, createBarMemory(MEMORY_MB * 2 ** 20))
  const market = assemble([part])
  const startMs = performance.now() - started
  if (part.kind !== 'bars') throw new Error(part.kind)
  // Symbols that are holes in the file have no bars to read.
  const symbols = part.symbols.filter((_, at) => at % spread === 0)
  const days = (part.symbols[0]!.manifest.rows / 390) | 0
  const dates = Array.from({ length: days }, (_, day) => dayText(WEDNESDAY + day + 2 * Math.floor((day + 2) / 5)))
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const coldMs: number[] = []
  const idleMs: number[] = []
  const busyBefore = process.cpuUsage()
  for (let call = 0; call < COLD_CALLS; call++) {
    const { symbol } = symbols[random(symbols.length)]!.manifest
    const from = dates[random(days - 5)]!
    const before = performance.now()
    const lease = new DataLease()
    const answer = withData(() => ask(market, symbol, from), lease)
    if (answer instanceof Promise) {
      await answer
      coldMs.push(performance.now() - before)
    }
    lease.release()
    const began = performance.now()
    await elsewhere(16)
    idleMs.push(performance.now() - began)
  }
  const { user, system } = process.cpuUsage(busyBefore)
  coldMs.sort((a, b) => a - b)
  idleMs.sort((a, b) => a - b)
  const maxRssBytes = 1024 * process.resourceUsage().maxRSS
  const [held, stored] = [await heldMarket(market, symbols), market]
  const hotLease = new DataLease()
  // The first weekdays, which lie within what is held.
  const hotCall = (of: MarketData, call: number) => {
    const { symbol } = symbols[call % Math.min(HOT_SYMBOLS, symbols.length)]!.manifest
    return withData(() => ask(of, symbol, dates[5 + (call % 40)]!), hotLease)
  }
  const afresh = (of: MarketData) => (call: number) => {
    forgetText()
    return hotCall(of, call)
  }
  const [a, b, c, d] = await callsPerBusySecond([
    afresh(held),
    afresh(stored),
    (call) => hotCall(held, call),
    (call) => hotCall(stored, call),
  ])
  return {
    bars: manifest.rows,
    fileBytes: (await stat(path)).size,
    startMs,
    cold: {
      p50Ms: coldMs[coldMs.length >> 1]!,
      p99Ms: coldMs[Math.floor(coldMs.length * 0.99)]!,
      calls: coldMs.length,
      idleP99Ms: idleMs[Math.floor(idleMs.length * 0.99)]!,
      busyMs: (user + system) / 1000 / coldMs.length,
    },
    maxRssBytes,
    hot: { held: a!, stored: b!, heldKept: c!, storedKept: d! },
  }
}

/**
 * Calls per second of processor time, which stays comparable on a busy machine: the median of short turns, whose order
 * changes.
 */
async function callsPerBusySecond(works: ((call: number) => unknown)[]): Promise<number[]> {
  const rates = works.map((): number[] => [])
  for (let turn = 0; turn < TURNS + 2; turn++) {
    const order = [...works.entries()]
    for (const [index, work] of turn % 2 === 0 ? order : order.reverse()) {
      const seconds = await processorSeconds(async () => {
        for (let call = 0; call < CALLS_OF_A_TURN; call++) await work(call)
      })
      // The first turns load bars and compile.
      if (turn > 1) rates[index]!.push(CALLS_OF_A_TURN / seconds)
    }
  }
  return rates.map((list) => list.sort((a, b) => a - b)[list.length >> 1]!)
}

function ask(market: MarketData, symbol: string, from: string): unknown {
  const input = getBars.input.parse({ symbol, interval: '1m', from, limit: ROWS })
  const output = getBars.run(input as never, { market } as never)
  return restBody({ tool: getBars } as Parameters<typeof restBody>[0], output, 'json').content
}

/** The first bars of the first symbols, in memory. */
async function heldMarket(market: MarketData, stored: readonly HeldSymbol[]): Promise<MarketData> {
  const part = market.parts[0]!
  if (part.kind !== 'bars') throw new Error(part.kind)
  const lease = new DataLease()
  const held = await Promise.all(
    stored.slice(0, HOT_SYMBOLS).map(async ({ manifest, series }) => {
      const columns = await withData(() => series.columns(0, HOT_BARS), lease)
      return { manifest, series: heldSeries(columns, series) }
    }),
  )
  lease.release()
  return assemble([{ ...part, symbols: held }])
}
