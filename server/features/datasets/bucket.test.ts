import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { s3Bucket } from '../../net/s3-bucket.ts'
import { importDataset } from './import-dataset.ts'
import { type DatasetFolder, datasetFolder } from './testing/dataset-folder.ts'
import { type LocalBucket, startBucket } from './testing/local-bucket.ts'
import { startServing } from './testing/serving.ts'
import { uploadVersions } from './upload-versions.ts'
import { versionStore } from './version-store.ts'

let bucket: LocalBucket
let folder: DatasetFolder
beforeEach(async () => {
  bucket = await startBucket()
  folder = datasetFolder()
})
// Registered first, so it runs last: after the server has stopped reading the bucket.
afterEach(() => bucket.stop())
const { server, serve, get } = await startServing()

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

const firstClose = async (symbol: string, key: string) =>
  (await get(`/v1/bars/${symbol}?from=2016-01-01&limit=5`, key)).body.data[0].close

test('a version in a bucket is served by reads of ranges, and nothing of it is on this disk', async () => {
  const { value: key } = await server.key({ credits: 100 })
  const version = await publish(10)
  await serve(bucket.place)
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
  const { look } = await serve(bucket.place)
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
  const { look } = await serve(bucket.place)
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
  const { look } = await serve(bucket.place)
  expect((await get('/v1/bars/AAA', key)).status).toBe(404)
  expect((await get('/v1/bars/AAPL', key)).status).toBe(200)
  bucket.reachable(true)
  await look()
  expect(await firstClose('AAA', key)).toBe(10)
})

test('a version that is removed while a server uses it is a free 503 until the server follows', async () => {
  const key = await server.key({ credits: 100 })
  const version = await publish(10)
  const { look } = await serve(bucket.place)
  const store = s3Bucket(bucket.place.address, bucket.place.access, { timeoutMs: 5_000, retries: 0 })
  await store.remove(`own-prices/${version}/bars.blocks`)
  const refused = await get('/v1/bars/AAA?from=2016-01-01&limit=5', key.value)
  expect([refused.status, refused.body.code]).toEqual([503, 'data_unavailable'])
  expect((await server.spending(key.accountId)).credits).toBe(0)
  await publish(20)
  await look()
  expect(await firstClose('AAA', key.value)).toBe(20)
})

const list = (entries: string) => `<ListBucketResult>${entries}</ListBucketResult>`

/** A client of a server that answers like this. */
async function answering(answer: RequestListener) {
  const other = createServer(answer)
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    other.closeAllConnections()
    other.close()
  })
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/data/finmeter`
  return { address, client: s3Bucket(address, bucket.place.access, { timeoutMs: 5_000, retries: 0, partBytes: 10 }) }
}

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
    const { client: remote } = await answering(({ url }, response) => {
      const query = new URL(url!, 'http://x').searchParams
      const page = names.filter((name) => name > query.get('start-after')! && name.startsWith(query.get('prefix')!))
      const entries = page.slice(0, 2).map((name) => `<Contents><Key>${name}</Key><ETag>"t"</ETag></Contents>`)
      response.end(list(`<IsTruncated>${page.length > 2}</IsTruncated>${entries.join('')}`))
    })
    const found = await remote.list('many/')
    expect(found.map(({ name }) => name)).toEqual(['many/0', 'many/1', 'many/2', 'many/3', 'many/4'])
  })

  const entry = '<Contents><Key>finmeter/a/current</Key><ETag>"t"</ETag></Contents>'
  test.each<[string, string, string]>([
    ['is cut', `<ListBucketResult><IsTruncated>false</IsTruncated>${entry}`, 'no complete ListBucketResult'],
    ['is an error', '<Error><Code>InternalError</Code></Error>', 'no complete ListBucketResult'],
    ['goes on without more', list(`<IsTruncated>true</IsTruncated>${entry}`), 'sends no more of it'],
    ['goes on with nothing', list('<IsTruncated>true</IsTruncated>'), 'sends no more of it'],
  ])('a list that %s is no list', async (_what, xml, why) => {
    const { client: remote } = await answering((_request, response) => response.end(xml))
    await expect(remote.list('')).rejects.toThrow(why)
  })

  test('parts are not put together before the bucket has said so to the end', async () => {
    const asked: string[] = []
    const { client: remote } = await answering((request, response) => {
      asked.push(request.method!)
      request.resume()
      if (request.method !== 'POST') return response.setHeader('etag', '"t"').end()
      response.end(request.url!.includes('uploads=') ? '<UploadId>1</UploadId>' : '<?xml version="1.0"?>  ')
    })
    const path = join(folder.path, 'large')
    await writeFile(path, 'more than a part')
    await expect(remote.putFile('own/large', path)).rejects.toThrow('no complete CompleteMultipartUploadResult')
    expect(asked.at(-1)).toBe('DELETE')
  })

  test('more than was asked for is not read', async () => {
    const { client: remote } = await answering((_request, response) => {
      response.writeHead(206)
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    })
    await expect(remote.range('own/file', 0, 10)).rejects.toThrow('sent more of own/file than it was asked for')
  })

  test('a version that is listed and not found is looked for again', async () => {
    let found = false
    const { address } = await answering(({ url }, response) => {
      if (url!.includes('list-type')) response.end(list(`<IsTruncated>false</IsTruncated>${entry}`))
      else if (found) response.end('20240101000000-0123abcd\n')
      else response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    })
    const { served } = versionStore({ ...bucket.place, address })
    expect(await served()).toEqual([])
    found = true
    expect(await served()).toMatchObject([{ id: 'a', version: '20240101000000-0123abcd' }])
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
    await serve(bucket.place)
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
