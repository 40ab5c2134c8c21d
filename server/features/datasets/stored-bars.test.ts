import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { createBarMemory } from '../market-data/bar-store/bar-memory.ts'
import { allBars } from '../market-data/bar-store/testing/all-bars.ts'
import { heldSeries } from '../market-data/bars/bar-series.ts'
import { type DatasetPart, loadPart } from '../market-data/dataset-part.ts'
import { assemble } from '../market-data/market-data.ts'
import { marketDataTools } from '../market-data/tools.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { GrowingBars } from './growing-bars.ts'
import { importDataset } from './import-dataset.ts'
import { SpilledBars } from './spilled-bars.ts'
import { datasetFolder } from './testing/dataset-folder.ts'
import { versionStore } from './version-store.ts'

const server = await closeAfterTests(startToolServer(marketDataTools))
const folder = datasetFolder()

/** Rows from `count` steps, of two symbols in turns. */
const csv = (count: number, dateOf: (step: number) => string, extra: (step: number) => string) =>
  Array.from({ length: count }, (_, i) => {
    const close = (50 + 10 * Math.sin(i / 50)).toFixed(2)
    return ['AAA', 'BBB'].map((symbol) => `${symbol},${dateOf(i)},${close},${close},${close},${close},${i}${extra(i)}`)
  })
    .flat()
    .join('\n')

async function imported(changes: Record<string, unknown>): Promise<DatasetPart> {
  const dataset = await folder.bars(changes)
  const { version, report } = await importDataset(dataset, folder.options)
  if (!version) throw new Error(JSON.stringify(report.findings))
  const { files, manifest } = await versionStore(folder.options.published).read(dataset.id, version)
  // Room for less than one of the symbols.
  return loadPart(files, manifest, createBarMemory(100_000))
}

/** The same part with all bars in memory. */
async function held(part: DatasetPart): Promise<DatasetPart> {
  if (part.kind !== 'bars') throw new Error(part.kind)
  const symbols = part.symbols.map(async ({ manifest, series }) => ({
    manifest,
    series: heldSeries(await allBars(series), series),
  }))
  return { ...part, symbols: await Promise.all(symbols) }
}

test('every tool answers from disk what it answers from memory', async () => {
  const header = 'symbol,date,open,high,low,close,volume'
  const day = (step: number) => new Date(Date.UTC(2015, 0, 1 + step)).toISOString().slice(0, 10)
  await folder.file('minutes.csv', `${header}\n${csv(12_500, instant, () => '')}\n`)
  await folder.file(
    'days.csv',
    `${header},split,dividend\n${csv(2_500, day, (step) => (step % 700 === 699 ? ',2,' : step % 300 === 299 ? ',,0.5' : ',,'))}\n`,
  )
  const parts = [
    await imported({
      id: 'own-minutes',
      interval: '1m',
      type: 'crypto',
      source: { type: 'file', path: 'minutes.csv' },
    }),
    await imported({
      id: 'own-days',
      source: { type: 'file', path: 'days.csv' },
      symbol_map: { AAA: 'DAY', BBB: 'DAZ' },
      fields: {
        ...{ symbol: 'symbol', date: 'date', open: 'open', high: 'high', low: 'low', close: 'close' },
        ...{ volume: 'volume', split: 'split', dividend: 'dividend' },
      },
    }),
  ]
  const key = await server.key({ credits: 100_000 })
  const ask = async (path: string) => {
    const answer = await fetch(server.url + path, { headers: { 'x-api-key': key.value } })
    return [answer.status, answer.headers.get('x-credits-charged'), await answer.text()]
  }
  const stored = assemble(parts)
  const all = assemble(await Promise.all(parts.map(held)))
  for (const path of [
    '/v1/bars/AAA?interval=1m&from=2024-01-30&limit=252',
    '/v1/bars/AAA?interval=1m&range=max&limit=1000000&format=csv',
    '/v1/bars/AAA?interval=1m&range=max&limit=10000&format=columns',
    '/v1/bars/AAA?interval=1h&range=1mo',
    '/v1/bars/AAA?range=max',
    '/v1/bars/DAY?range=max&limit=10000&adjust=all',
    '/v1/bars/DAY?interval=1mo&from=2016-02-10&to=2019-12-10',
    '/v1/bars/DAY?from=2016-06-01&limit=252&precision=1',
    '/v1/bars/DAY?from=2030-01-01',
    '/v1/bars/DAZ?range=1y&format=parquet&dry_run=true',
    '/v1/bars?symbols=DAY,DAZ,AAA,NONE&range=1y',
    '/v1/quotes?symbols=DAY,DAZ,AAA&on=2018-05-05',
    '/v1/indicators/DAY?name=rsi',
    '/v1/indicators/AAA?name=sma&interval=1m&last=20',
    '/v1/summary?symbols=DAY,DAZ&range=5y&benchmark=AAA',
    '/v1/actions/DAY',
  ]) {
    server.deps.market.replace(all)
    const expected = await ask(path)
    server.deps.market.replace(stored)
    expect(expected[0], path).toBe(200)
    expect(await ask(path), path).toEqual(expected)
  }
})

/** Every fifth minute from 2024-01-01. */
const instant = (step: number) => new Date(Date.UTC(2024, 0, 1) + 5 * step * 60_000).toISOString()

test('bars that were put aside while a source was read come back complete and in order', async () => {
  const spilled = new SpilledBars(100)
  const symbols = new Map([...'ABC'].map((name) => [name, new GrowingBars()]))
  try {
    for (let row = 0; row < 1_050; row++) {
      // C runs backwards.
      const name = 'ABC'[row % 3]!
      const time = name === 'C' ? 5_000 - row : row
      symbols.get(name)!.add(time, time, time, time, time, row)
      if (spilled.added()) await spilled.spill(symbols.values())
    }
    for (const [name, growing] of symbols) {
      expect(growing.runs.length, name).toBe(10)
      expect(growing.count, name).toBeLessThan(20)
      const { times, close, volume } = await spilled.finish(growing)
      const rows = Array.from({ length: 350 }, (_, i) => 3 * i + 'ABC'.indexOf(name))
      const expected = name === 'C' ? rows.toReversed() : rows
      expect([...volume], name).toEqual(expected)
      expect([...times], name).toEqual(expected.map((row) => (name === 'C' ? 5_000 - row : row)))
      expect([...close], name).toEqual([...times])
    }
  } finally {
    await spilled.close()
  }
})
