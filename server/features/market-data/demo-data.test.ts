import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Manifest, readManifests } from './manifest.ts'
import { loadMarketData } from './market-data.ts'
import { demoDirectory } from './testing/demo-market.ts'

const manifests = await readManifests(demoDirectory)
const read = async ({ file }: Manifest) => {
  const [header = '', ...lines] = gunzipSync(await readFile(join(demoDirectory, file)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  return { header, rows: lines.map((line) => line.split(',')) }
}

test('the demo data are the datasets of the first release and stay small', async () => {
  expect(manifests.map(({ symbol, rows }) => [symbol, rows])).toEqual([
    ['AAPL', 9434],
    ['GE', 13450],
    ['MSFT', 7743],
    ['NDX', 6724],
    ['SPX', 17687],
    ['US.CPI', 1355],
  ])
  const names = await readdir(demoDirectory)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(demoDirectory, name))).size))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000)
  expect(names.length).toBe(2 * manifests.length + 1)
})

describe.each(manifests)('$id', (manifest) => {
  test('the file is the one that the manifest describes', async () => {
    const bytes = await readFile(join(demoDirectory, manifest.file))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(manifest.sha256)
    const { rows } = await read(manifest)
    expect(rows.length).toBe(manifest.rows)
    expect(rows[0]?.[0]).toBe(manifest.first)
    expect(rows.at(-1)?.[0]).toBe(manifest.last)
  })

  test('dates are real, ascending and without duplicates', async () => {
    const { rows } = await read(manifest)
    const dates = rows.map(([date]) => date!)
    expect(dates.filter((date) => new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date)).toEqual([])
    expect(dates.filter((date, index) => index > 0 && date <= dates[index - 1]!)).toEqual([])
  })

  test('its sources and their licences stand in SOURCES.md', async () => {
    const document = await readFile(join(demoDirectory, 'SOURCES.md'), 'utf8')
    for (const source of manifest.sources) {
      expect(document).toContain(`## ${source.package} ${source.version}: ${source.licence}`)
      expect(document).toContain(source.package_sha256)
    }
  })
})

describe.each(manifests.filter(({ kind }) => kind === 'bars'))('bars of $id', (manifest) => {
  test('are sessions with low <= open, close <= high and are marked demo-only', async () => {
    const { header, rows } = await read(manifest)
    expect(header).toMatch(/^date,open,high,low,close,volume(,adj_close)?(,split)?(,dividend)?$/)
    const faulty = rows.filter(([date, ...cells]) => {
      const [open, high, low, close, volume] = cells.map(Number) as [number, number, number, number, number]
      const weekday = new Date(date!).getUTCDay()
      const ordered = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close) && volume >= 0
      // Until 29 September 1952 the New York exchange also traded on Saturdays.
      return !ordered || weekday === 0 || (weekday === 6 && date! > '1952-09-29')
    })
    expect(faulty).toEqual([])
    expect(manifest.redistribution).toBe('demo-only')
  })
})

describe('loading', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'finmeter-datasets-'))
    await cp(demoDirectory, directory, { recursive: true })
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('demo prices can be left out; open data stay', async () => {
    const market = await loadMarketData({ dir: demoDirectory, demoPrices: false })
    expect(market.catalogue.instruments).toEqual([])
    expect(market.catalogue.find('AAPL')).toBeUndefined()
    expect([...market.series.keys()]).toEqual(['US.CPI'])
  })

  test('a file that was changed is refused, by name', async () => {
    await writeFile(join(directory, 'us-cpi.csv.gz'), 'changed')
    await expect(loadMarketData({ dir: directory, demoPrices: true })).rejects.toThrow(
      /us-cpi\.csv\.gz is not the file that us-cpi\.json describes/,
    )
  })

  test('a manifest with a wrong field is refused, by name and field', async () => {
    const path = join(directory, 'ge-daily.json')
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), basis: 'partly' }))
    await expect(loadMarketData({ dir: directory, demoPrices: true })).rejects.toThrow(
      /ge-daily\.json is not a dataset manifest[\s\S]*basis/,
    )
  })
})
