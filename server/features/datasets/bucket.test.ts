import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { s3Bucket } from '../../net/s3-bucket.ts'
import { createBarMemory } from '../market-data/bar-store/bar-memory.ts'
import type { MarketData } from '../market-data/market-data.ts'
import { marketDataTools } from '../market-data/tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { importDataset } from './import-dataset.ts'
import { type PublishedData, servePublished } from './serve-published.ts'
import { type DatasetFolder, datasetFolder } from './testing/dataset-folder.ts'
import { type LocalBucket, startBucket } from './testing/local-bucket.ts'
import { uploadVersions } from './upload-versions.ts'
import { versionStore } from './version-store.ts'

let server: ToolServer
let demo: MarketData
let bucket: LocalBucket
let folder: DatasetFolder
let published: PublishedData | undefined
beforeAll(async () => {
  server = await startToolServer(marketDataTools)
  demo = server.deps.market.current
})
afterAll(() => server?.close())
beforeEach(async () => {
  bucket = await startBucket()
  folder = await datasetFolder()
})
afterEach(async () => {
  published?.close()
  server.deps.market.replace(demo)
  await bucket.stop()
  await folder.remove()
})

/** 2,000 days from 2015-01-01 of two symbols. */
const rows = (close: number) =>
  [
    'symbol,date,open,high,low,close,volume',
    ...['AAA', 'BBB'].flatMap((symbol) =>
      Array.from({ length: 2_000 }, (_, day) => {
        const date = new Date(Date.UTC(2015, 0, 1 + day)).toISOString().slice(0, 10)
        return `${symbol},${date},${close},${close},${close},${close},${day}`
      }),
    ),
  ].join('\n')

async function publish(close: number): Promise<string> {
  await folder.file('prices.csv', rows(close))
  const options = { ...folder.options, published: bucket.place }
  const { version } = await importDataset(await folder.bars(), options)
  return (await versionStore(bucket.place).publish('own-prices', version!)).version
}

async function serve(): Promise<PublishedData> {
  published = await servePublished(bucket.place, server.deps.market, server.deps.log, createBarMemory(2 ** 20))
  return published
}

const get = async (path: string, key: string) => {
  const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })
  return { status: answer.status, body: await answer.json() }
}

const firstClose = async (symbol: string, key: string) =>
  (await get(`/v1/bars/${symbol}?from=2016-01-01&limit=5`, key)).body.data[0].close

test('a version in a bucket is served by reads of ranges, and nothing of it is on this disk', async () => {
  const { value: key } = await server.key({ credits: 100 })
  const version = await publish(10)
  await serve()
  bucket.requests.length = 0
  const { status, body } = await get('/v1/bars/AAA?from=2016-03-01&to=2016-03-02', key)
  expect([status, body.data.map(({ date, close }: Record<string, unknown>) => [date, close])]).toEqual([
    200,
    [
      ['2016-03-01', 10],
      ['2016-03-02', 10],
    ],
  ])
  expect(bucket.requests).toEqual([
    expect.stringMatching(`^GET /data/finmeter/own-prices/${version}/bars.blocks bytes=`),
  ])
  const [from, to] = /bytes=(\d+)-(\d+)/.exec(bucket.requests[0]!)!.slice(1).map(Number)
  // One year of one symbol, of six years of two.
  expect(to! - from!).toBeLessThan(3_000)
  await get('/v1/bars/AAA?from=2016-03-01&to=2016-03-02', key)
  expect(bucket.requests.length).toBe(1)
  expect(await versionStore(folder.options.published).versions('own-prices')).toEqual([])
})

test('a new version and a rollback are followed; all but the last two are removed', async () => {
  const { value: key } = await server.key({ credits: 100 })
  const store = versionStore(bucket.place)
  const versions = [await publish(10)]
  const { look } = await serve()
  expect(await look()).toBe(false)
  for (const close of [20, 30]) {
    // Names of versions begin with the second.
    await expect
      .poll(() => new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14))
      .not.toBe(versions.at(-1)!.slice(0, 14))
    versions.push(await publish(close))
  }
  expect(await look()).toBe(true)
  expect(await firstClose('AAA', key)).toBe(30)
  expect(await store.versions('own-prices')).toEqual(versions.slice(1))
  await store.publish('own-prices', versions[1])
  expect(await look()).toBe(true)
  expect(await firstClose('AAA', key)).toBe(20)
  expect(await store.confirm('own-prices', '2026-05-01T00:00:00Z')).toBe(true)
  expect(await look()).toBe(true)
  expect((await store.read('own-prices', versions[1]!)).manifest.retrieved_at).toBe('2026-05-01T00:00:00Z')
})

test('while the bucket is away, what is in memory is served, the rest is a free 503, and all of it works afterwards', async () => {
  const key = await server.key({ credits: 100 })
  await publish(10)
  const { look } = await serve()
  expect(await firstClose('AAA', key.value)).toBe(10)
  bucket.reachable(false)
  await expect(look()).rejects.toThrow('The bucket did not answer')
  expect(await firstClose('AAA', key.value)).toBe(10)
  const refused = await get('/v1/bars/BBB?from=2016-01-01&limit=5', key.value)
  expect([refused.status, refused.body.code]).toEqual([503, 'data_unavailable'])
  expect(await server.spending(key.accountId)).toMatchObject({ rows: 3, failedRows: 1, credits: 2 })
  bucket.reachable(true)
  expect(await firstClose('BBB', key.value)).toBe(10)
})

test('a server that starts while the bucket is away serves its data once it is back', async () => {
  const { value: key } = await server.key({ credits: 100 })
  await publish(10)
  bucket.reachable(false)
  const { look } = await serve()
  expect((await get('/v1/bars/AAA', key)).status).toBe(404)
  expect((await get('/v1/bars/AAPL', key)).status).toBe(200)
  bucket.reachable(true)
  await look()
  expect(await firstClose('AAA', key)).toBe(10)
})

test('a version that is removed while a server uses it is a free 503 until the server follows', async () => {
  const key = await server.key({ credits: 100 })
  const version = await publish(10)
  const { look } = await serve()
  const store = s3Bucket(bucket.place.address, bucket.place.access, { timeoutMs: 5_000, retries: 0 })
  await store.remove(`own-prices/${version}/bars.blocks`)
  const refused = await get('/v1/bars/AAA?from=2016-01-01&limit=5', key.value)
  expect([refused.status, refused.body.code]).toEqual([503, 'data_unavailable'])
  expect((await server.spending(key.accountId)).credits).toBe(0)
  await publish(20)
  await look()
  expect(await firstClose('AAA', key.value)).toBe(20)
})

describe('the client', () => {
  const client = (change = {}) =>
    s3Bucket(
      bucket.place.address,
      { ...bucket.place.access, ...change },
      { timeoutMs: 5_000, retries: 0, partBytes: 5 * 2 ** 20 },
    )

  test('stores a large file in parts, and reads across their edges', async () => {
    const bytes = randomBytes(12 * 2 ** 20)
    const path = join(folder.path, 'large')
    await writeFile(path, bytes)
    await client().putFile('own/large', path)
    expect(bucket.requests.filter((one) => one.includes('partNumber')).length).toBe(3)
    const read = Buffer.from(await client().range('own/large', 5 * 2 ** 20 - 10, 20))
    expect(read.equals(bytes.subarray(5 * 2 ** 20 - 10, 5 * 2 ** 20 + 10))).toBe(true)
    await expect(client().range('own/large', bytes.length - 5, 20)).rejects.toThrow('ends before byte')
  })

  test('lists every page', async () => {
    // Of more than a page, s3rver answers with an error.
    const names = Array.from({ length: 5 }, (_, i) => `finmeter/many/${i}`)
    const pages = createServer(({ url }, response) => {
      const query = new URL(url!, 'http://x').searchParams
      const page = names.filter((name) => name > query.get('start-after')! && name.startsWith(query.get('prefix')!))
      const entries = page.slice(0, 2).map((name) => `<Contents><Key>${name}</Key><ETag>"t"</ETag></Contents>`)
      response.end(`<IsTruncated>${page.length > 2}</IsTruncated>${entries.join('')}`)
    })
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done))
    const { port } = pages.address() as AddressInfo
    const address = `http://127.0.0.1:${port}/data/finmeter`
    const found = await s3Bucket(address, bucket.place.access, { timeoutMs: 5_000, retries: 0 }).list('many/')
    expect(found.map(({ name }) => name)).toEqual(['many/0', 'many/1', 'many/2', 'many/3', 'many/4'])
    pages.closeAllConnections()
    await new Promise((done) => pages.close(done))
  })

  test('a refusal says what was refused, without the credentials', async () => {
    const error = await client({ secretAccessKey: 'other-secret' })
      .list('')
      .catch((one: Error) => one)
    expect(String(error)).toContain('403 SignatureDoesNotMatch')
    expect(String(error)).not.toMatch(/other-secret|S3RVER/)
  })
})

describe('moving to the bucket', () => {
  test('what a folder serves is served from the bucket; a dataset that is there already stays', async () => {
    await folder.file('prices.csv', rows(7))
    const { version } = await importDataset(await folder.bars(), folder.options)
    const own = versionStore(folder.options.published)
    await own.publish('own-prices', version!)
    expect(await uploadVersions(folder.options.published, bucket.place)).toEqual([
      expect.stringMatching(/^own-prices \d{14}-[0-9a-f]{8} is served from the bucket: 4,000 rows\.$/),
    ])
    const { value: key } = await server.key({ credits: 100 })
    await serve()
    expect(await firstClose('AAA', key)).toBe(7)
    expect(await uploadVersions(folder.options.published, bucket.place)).toEqual([
      'own-prices: the bucket already serves it; nothing was copied.',
    ])
  })

  test('a damaged file is not copied', async () => {
    await folder.file('prices.csv', rows(7))
    const { version } = await importDataset(await folder.bars(), folder.options)
    const own = versionStore(folder.options.published)
    const { files, manifest } = await own.publish('own-prices', version!)
    await writeFile(files.placeOf(manifest.file), 'other')
    await expect(uploadVersions(folder.options.published, bucket.place)).rejects.toThrow('is damaged')
    expect(await versionStore(bucket.place).served()).toEqual([])
  })
})
