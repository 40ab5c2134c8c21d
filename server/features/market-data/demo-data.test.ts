import { createHash } from 'node:crypto'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
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

test('the demo data are these datasets and stay small', async () => {
  expect(manifests.map(({ id, rows }) => [id, rows])).toEqual([
    ['aapl-daily', 9434],
    ['aapl-minutes', 8190],
    ['btc-minutes', 50669],
    ['currencies', 179],
    ['ecb-rates', 242],
    ['exchange-rates', 666],
    ['fx-points', 649],
    ['ge-daily', 13450],
    ['gold-prices', 2322],
    ['msft-daily', 7743],
    ['msft-minutes', 8190],
    ['natural-gas', 7436],
    ['ndx-daily', 6724],
    ['oil-prices', 10403],
    ['sec-filings', 11129],
    ['spx-daily', 17687],
    ['us-10y-yield', 879],
    ['us-companies', 8031],
    ['us-cpi', 1360],
    ['us-employment', 120],
    ['us-shiller', 1866],
    ['us-statements', 1777],
    ['us-treasury-yields', 652],
    ['us-unemployment', 122],
    ['vix-daily', 5176],
    ['yhoo-daily', 5095],
  ])
  const names = await readdir(demoDirectory)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(demoDirectory, name))).size))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000)
  expect(names.length).toBe(2 * manifests.length + 1)
})

describe.each(manifests)('$id', (manifest) => {
  test('the file matches its manifest', async () => {
    const bytes = await readFile(join(demoDirectory, manifest.file))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(manifest.sha256)
    if (manifest.kind === 'filings')
      expect(manifest.companies.reduce((sum, { facts }) => sum + facts, 0)).toBe(manifest.rows)
    else expect((await read(manifest)).rows.length).toBe(manifest.rows)
    expect([manifest.first, manifest.last].filter((date) => !isDate(date))).toEqual([])
  })

  test('its sources and their licenses are in SOURCES.md', async () => {
    const document = await readFile(join(demoDirectory, 'SOURCES.md'), 'utf8')
    for (const source of manifest.sources) {
      expect(document).toContain(`## ${source.package} ${source.version}: ${source.licence}`)
      expect(document).toContain(source.package_sha256)
    }
  })
})

const isDate = (text: string) => new Date(`${text}T00:00:00Z`).toISOString().slice(0, 10) === text
const dated = manifests.filter(({ kind }) => kind === 'bars' || kind === 'series')

describe.each(dated)('times of $id', (manifest) => {
  test('are real, ascending and without duplicates, from first to last', async () => {
    const { rows } = await read(manifest)
    const times = rows.map(([time]) => time!)
    expect(times[0]?.slice(0, 10)).toBe(manifest.first)
    expect(times.at(-1)?.slice(0, 10)).toBe(manifest.last)
    expect(times.filter((time) => !isDate(time.slice(0, 10)))).toEqual([])
    expect(times.filter((time, index) => index > 0 && time <= times[index - 1]!)).toEqual([])
  })
})

describe.each(manifests.filter(({ kind }) => kind === 'bars'))('bars of $id', (manifest) => {
  test('are sessions with low <= open, close <= high and are marked demo-only', async () => {
    const { header, rows } = await read(manifest)
    expect(header).toMatch(/^date,open,high,low,close,volume(,adj_close)?(,split)?(,dividend)?$/)
    const faulty = rows.filter(([date, ...cells]) => {
      const [open, high, low, close, volume] = cells.map(Number) as [number, number, number, number, number]
      const weekday = manifest.id === 'btc-minutes' ? 1 : new Date(date!.slice(0, 10)).getUTCDay()
      const ordered = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close) && volume >= 0
      // Until September 29, 1952 the New York exchange also traded on Saturdays.
      return !ordered || weekday === 0 || (weekday === 6 && date! > '1952-09-29')
    })
    expect(faulty).toEqual([])
    expect(manifest.redistribution).toBe('demo-only')
  })
})

describe('loading', () => {
  const directory = temporaryFolder()
  beforeAll(async () => {
    await cp(demoDirectory, directory, { recursive: true })
  })

  test('demo prices can be left out; open data stay', async () => {
    const market = await loadMarketData({ dir: demoDirectory, demoPrices: false })
    expect(market.catalog.instruments).toEqual([])
    expect(market.catalog.find('AAPL')).toBeUndefined()
    expect(market.series.get('CPI')?.id).toBe('US.CPI')
    expect(market.rates).not.toEqual([])
  })

  test('a changed file is refused by name', async () => {
    await writeFile(join(directory, 'us-cpi.csv.gz'), 'changed')
    await expect(loadMarketData({ dir: directory, demoPrices: true })).rejects.toThrow(
      /us-cpi\.csv\.gz is not the file that us-cpi\.json describes/,
    )
  })

  test('a manifest with an invalid field is refused by name and field', async () => {
    const path = join(directory, 'ge-daily.json')
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), basis: 'partly' }))
    await expect(loadMarketData({ dir: directory, demoPrices: true })).rejects.toThrow(
      /ge-daily\.json is not a dataset manifest[\s\S]*basis/,
    )
  })
})
