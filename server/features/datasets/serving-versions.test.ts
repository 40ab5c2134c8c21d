import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { columnsAt, symbolBytes } from '../market-data/bars/bar-set.ts'
import { importDataset } from './import-dataset.ts'
import { type DatasetFolder, datasetFolder } from './testing/dataset-folder.ts'
import { startServing } from './testing/serving.ts'
import { versionStore } from './version-store.ts'

let folder: DatasetFolder
const { server, serve, stopServing } = await startServing()
beforeEach(() => {
  folder = datasetFolder()
})

/** Minutes from 2024-01-01 over half a year, all with this close. */
async function publishMinutes(close: number): Promise<string> {
  const lines = Array.from({ length: 26_000 }, (_, step) => {
    const time = new Date(Date.UTC(2024, 0, 1) + 10 * step * 60_000).toISOString()
    return `OWN,${time},${close},${close},${close},${close},1`
  })
  await folder.file('prices.csv', `symbol,date,open,high,low,close,volume\n${lines.join('\n')}\n`)
  const dataset = await folder.bars({ interval: '1m', type: 'crypto' })
  const { version } = await importDataset(dataset, folder.options)
  return (await versionStore(folder.options.published).publish(dataset.id, version!)).version
}

test('a stream that began goes on with its version while others are published and its own is deleted', async () => {
  const { value: key } = await server.key({ credits: 1_000 })
  const first = await publishMinutes(10)
  const { look } = await serve(folder.options.published, 2 ** 16)
  const path = `${server.url}/v1/bars/OWN?interval=1m&range=max&limit=26000&format=csv`
  const answer = await fetch(path, { headers: { 'x-api-key': key } })
  const reader = answer.body!.getReader()
  const begin = await reader.read()
  const store = versionStore(folder.options.published)
  for (const close of [20, 30]) {
    await publishMinutes(close)
    await look()
  }
  expect(await store.versions('own-prices')).not.toContain(first)
  let text = Buffer.from(begin.value!).toString()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    text += Buffer.from(piece.value).toString()
  const closes = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[4])
  expect([closes.length, new Set(closes)]).toEqual([26_000, new Set(['10'])])
  const next = await fetch(`${server.url}/v1/bars/OWN?interval=1m&limit=1`, { headers: { 'x-api-key': key } })
  expect((await next.json()).data[0].close).toBe(30)
})

test('calls that run while versions change answer from one version each', async () => {
  const { value: key } = await server.key({ credits: 10_000 })
  await publishMinutes(10)
  const { look } = await serve(folder.options.published, 2 ** 16)
  let changing = true
  const calls = (async () => {
    const seen = new Set<string>()
    for (let call = 0; changing; call++) {
      const month = String(1 + (call % 6)).padStart(2, '0')
      const answer = await fetch(`${server.url}/v1/bars/OWN?interval=1m&from=2024-${month}-02&limit=9000`, {
        headers: { 'x-api-key': key },
      })
      expect(answer.status).toBe(200)
      const { data } = await answer.json()
      const closes = new Set(data.map(({ close }: { close: number }) => close))
      expect(closes.size).toBe(1)
      seen.add(String([...closes][0]))
    }
    return seen
  })()
  for (const close of [20, 30, 40]) {
    await publishMinutes(close)
    await look()
  }
  changing = false
  expect((await calls).size).toBeGreaterThan(1)
})

test('a version that an earlier release published, with all bars of a symbol together, is served as before', async () => {
  const { value: key } = await server.key({ credits: 100 })
  const counts = { OLD: 300, ODD: 7 }
  const parts = Object.values(counts).map((count) => {
    const bars = columnsAt(new ArrayBuffer(symbolBytes(count)), 0, count)
    for (let i = 0; i < count; i++) {
      bars.times[i] = 19_000 + i
      for (const name of ['open', 'high', 'low', 'close'] as const) bars[name][i] = 100 + i
      bars.volume[i] = i
    }
    return new Uint8Array(bars.times.buffer)
  })
  const content = Buffer.concat(parts)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const common = { aliases: [], type: 'stock', mic: null, currency: 'USD', first: '2022-01-08' }
  // As release 0.2.0 wrote it.
  const manifest = {
    ...{ kind: 'bar_set', id: 'own-prices', name: 'Own prices', file: 'bars.bin', sha256, rows: 307 },
    ...{ first: '2022-01-08', last: '2022-11-03', redistribution: 'internal', notes: [], currency: 'USD' },
    ...{ timezone: 'UTC', interval: '1d', basis: 'none', volume_basis: 'none' },
    sources: [
      { package: 'us', version: '2026-01-01', package_sha256: sha256, path: 'file', licence: 'own', publisher: 'us' },
    ],
    symbols: [
      { ...common, symbol: 'OLD', name: 'Old', last: '2022-11-03', offset: 0, count: 300, actions: [[100, 2, 0]] },
      { ...common, symbol: 'ODD', name: 'Odd', last: '2022-01-14', offset: parts[0]!.length, count: 7, actions: [] },
    ],
  }
  const version = `20260101000000-${sha256.slice(0, 8)}`
  const directory = join(folder.options.published, 'own-prices', version)
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'bars.bin'), content)
  await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest))
  await writeFile(join(folder.options.published, 'own-prices', 'current'), `${version}\n`)
  await serve(folder.options.published, 2 ** 16)
  const closes = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })
    const { data } = await answer.json()
    return data.map(({ close }: { close: number }) => close)
  }
  expect(await closes('/v1/bars/OLD?from=2022-04-17&to=2022-04-18&adjust=none')).toEqual([199, 200])
  // The day before a split of two for one.
  expect(await closes('/v1/bars/OLD?from=2022-04-17&to=2022-04-18')).toEqual([99.5, 200])
  expect(await closes('/v1/bars/ODD?range=max')).toEqual([100, 101, 102, 103, 104, 105, 106])
  await writeFile(join(directory, 'bars.bin'), content.subarray(1))
  stopServing()
  await serve(folder.options.published, 2 ** 16)
  expect((await fetch(`${server.url}/v1/bars/OLD`, { headers: { 'x-api-key': key } })).status).toBe(404)
})
