import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/harness.ts'
import { loadPart } from '../../market-data/dataset-part.ts'
import { checkProvider } from '../check-provider.ts'
import { type DatasetFile, readDatasetFile } from '../dataset-file.ts'
import { importDataset, readDataset } from '../import-dataset.ts'
import { type DatasetFolder, datasetFolder, plainBars } from '../testing/dataset-folder.ts'
import { versionStore } from '../version-store.ts'
import { loadProvider } from './code-source.ts'

const examples = join(import.meta.dirname, '../../../../datasets/examples')
const recorded = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8')

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

/** Every text file under a folder, one by one. */
async function textsIn(path: string): Promise<string> {
  const names = await readdir(path, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(2)
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))).join('\n')
}

/** The series that an import writes, as date and value. */
async function seriesOf(dataset: DatasetFile) {
  const { version, report } = await importDataset(dataset, folder.options)
  if (!version) throw new Error(JSON.stringify(report.findings))
  const { files, manifest } = await versionStore(folder.options.published).read(dataset.id, version)
  const part = await loadPart(files, manifest)
  if (part.kind !== 'series') throw new Error(part.kind)
  const text = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
  return Object.fromEntries(
    part.series.map(({ id, times, values }) => [id, [...times].map((day, i) => [text(day), values[i]])]),
  )
}

describe('HTTP', () => {
  let server: Server
  let requests: { url: string; headers: IncomingMessage['headers'] }[]
  let answer: (url: string, response: ServerResponse) => void
  let base: string
  beforeEach(async () => {
    requests = []
    server = createServer((request, response) => {
      requests.push({ url: request.url!, headers: request.headers })
      answer(request.url!, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => server.close())

  /** A ready-made manifest, with the provider's host replaced by the local one. */
  async function example(name: string, changes: Record<string, unknown> = {}): Promise<DatasetFile> {
    const dataset = await readDatasetFile(join(examples, `${name}.yaml`))
    if (dataset.source.type !== 'http') throw new Error(dataset.source.type)
    const url = dataset.source.url.replace(/^https:\/\/[^/]+/, base)
    return { ...dataset, source: { ...dataset.source, url, ...changes } as DatasetFile['source'] }
  }

  test('FRED: the documented answer, without missing values; the key is sent but never stored', async () => {
    answer = (_url, response) => response.end(recorded('fred-observations.json'))
    folder.options.env = { FRED_API_KEY: 'k3y-of-fred' }
    expect(await seriesOf(await example('fred'))).toEqual({
      GNPCA: [
        ['1929-01-01', 1065.9],
        ['1930-01-01', 975.5],
      ],
    })
    expect(requests[0]!.url).toBe('/fred/series/observations?series_id=GNPCA&api_key=k3y-of-fred&file_type=json')
    expect(await textsIn(folder.options.published)).not.toContain('k3y-of-fred')
  })

  test('ECB: csvdata', async () => {
    answer = (url, response) =>
      response.end(url.includes('USD') ? recorded('ecb-exr.csv') : recorded('ecb-exr.csv').replaceAll('USD', 'GBP'))
    const { USD } = await seriesOf(await example('ecb'))
    expect(USD).toEqual([
      ['2024-01-02', 1.0956],
      ['2024-01-03', 1.0919],
    ])
    expect(requests.map(({ url }) => url)).toEqual([
      '/service/data/EXR/D.USD.EUR.SP00.A?format=csvdata',
      '/service/data/EXR/D.GBP.EUR.SP00.A?format=csvdata',
    ])
  })

  test('SEC EDGAR: annual reports only, with the name that the SEC asks for', async () => {
    answer = (_url, response) => response.end(recorded('sec-companyconcept.json'))
    folder.options.env = { SEC_USER_AGENT: 'Example Ltd admin@example.com' }
    expect(await seriesOf(await example('sec-edgar'))).toEqual({
      'AAPL.ACCOUNTS_PAYABLE': [['2008-09-27', 5_520_000_000]],
    })
    expect(requests[0]).toMatchObject({
      url: '/api/xbrl/companyconcept/CIK0000320193/us-gaap/AccountsPayableCurrent.json',
      headers: { 'user-agent': 'Example Ltd admin@example.com' },
    })
  })

  test('an archive that unpacks to more than 200 MB is not read to its end', async () => {
    const packed = gzipSync(Buffer.alloc(2 ** 26, ' '))
    answer = (_url, response) =>
      response.setHeader('content-encoding', 'gzip').end(Buffer.concat(Array<Buffer>(10).fill(packed)))
    await expect(readDataset(await example('ecb'), folder.options)).rejects.toThrow('larger than 200 MB')
  })

  test('a fresh answer is not requested again; a stale one is used while the upstream fails, with a warning', async () => {
    answer = (_url, response) => response.end(recorded('ecb-exr.csv'))
    const dataset = await example('ecb', { each: [{ currency: 'USD' }] })
    const only = { ...dataset, series: { USD: { name: 'x', unit: 'USD', aliases: [] } } } as DatasetFile
    await seriesOf(only)
    await seriesOf(only)
    expect(requests).toHaveLength(1)
    answer = (_url, response) => response.writeHead(503).end()
    folder.options.now = () => Date.now() + 7 * 3_600_000
    const { report } = await readDataset(only, folder.options)
    expect(requests).toHaveLength(2)
    expect(report.rows).toBe(2)
    expect(report.findings).toEqual([
      expect.objectContaining({
        code: 'stale_answer',
        severity: 'warning',
        examples: [expect.stringContaining('the upstream answered 503')],
      }),
    ])
  })

  test('without an earlier answer a failure is an error that does not hold the key', async () => {
    answer = (_url, response) => response.writeHead(500).end('api_key=k3y-of-fred is wrong')
    folder.options.env = { FRED_API_KEY: 'k3y-of-fred' }
    const failure = await readDataset(await example('fred'), folder.options).catch((error: Error) => error.message)
    expect(failure).toContain('the upstream answered 500, and there is no earlier answer')
    expect(failure).toContain('api_key={secret}')
    expect(failure).not.toContain('k3y-of-fred')
  })

  test('a used-up budget stops all requests', async () => {
    answer = (_url, response) => response.end(recorded('ecb-exr.csv'))
    const dataset = await example('ecb', { budget: { requests: 1, per: 'day' } })
    // Both requests are of one day.
    folder.options.now = () => Date.parse('2026-05-05T12:00:00Z')
    await expect(readDataset(dataset, folder.options)).rejects.toThrow('the budget of 1 requests a day is used up')
    expect(requests).toHaveLength(1)
  })

  test('pages follow one another on the same host only', async () => {
    const page = (values: string[], next: string | null) =>
      JSON.stringify({ data: values.map((date) => ({ date, value: 1 })), next })
    const dataset = await folder.manifest({
      ...plainBars,
      kind: 'series',
      currency: undefined,
      source: { type: 'http', url: `${base}/list`, rows: 'data', next: 'next' },
      fields: { series: '=A', date: 'date', value: 'value' },
      frequency: 'monthly',
      series: { A: { name: 'a', unit: 'x' } },
    })
    answer = (url, response) =>
      response.end(url === '/list' ? page(['2024-01-01'], '/list?page=2') : page(['2024-02-01'], null))
    expect((await seriesOf(dataset)).A).toHaveLength(2)
    answer = (_url, response) => response.end(page(['2024-01-01'], 'http://169.254.169.254/latest'))
    folder.options.now = () => Date.now() + 86_400_000
    await expect(readDataset(dataset, folder.options)).rejects.toThrow(
      'the next page is on another host, 169.254.169.254',
    )
  })

  test('a missing secret and an answer in another format are reported', async () => {
    answer = (_url, response) => response.end('{"error":"down"}')
    await expect(readDataset(await example('fred'), folder.options)).rejects.toThrow(
      'set FRED_API_KEY to the key of the upstream',
    )
    folder.options.env = { FRED_API_KEY: 'x' }
    await expect(readDataset(await example('fred'), folder.options)).rejects.toThrow(
      'there is no list at `observations` of the answer',
    )
  })
})

describe('SQL', () => {
  test('reads a query with a cursor, read-only, dates as the database has them', async () => {
    const database = await createTestDatabase()
    try {
      const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query('create table bars (symbol text, day date, price numeric)')
      await client.query(
        "insert into bars select 'S' || (i % 3), date '2000-01-01' + i, 10 + i from generate_series(1, 25000) i",
      )
      await client.end()
      folder.options.env = { MARKET_DB: database.url }
      const source = (query: string) => ({ type: 'sql', connection: 'MARKET_DB', query })
      const fields = { symbol: 'symbol', date: 'day', open: 'price', high: 'price', low: 'price', close: 'price' }
      const { report } = await readDataset(
        await folder.bars({ source: source('select * from bars order by day;'), fields }),
        folder.options,
      )
      expect(report.rows).toBe(25_000)
      expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([])
      await expect(
        readDataset(await folder.bars({ source: source('delete from bars returning *'), fields }), folder.options),
      ).rejects.toThrow(/own-prices: the query failed/)
      await expect(
        readDataset(
          await folder.bars({
            source: source('select symbol, day, pg_sleep(5)::text price from bars'),
            fields: fields,
            ...{},
          }),
          {
            ...folder.options,
            env: { MARKET_DB: 'postgres://nobody:s3cret-word@127.0.0.1:1/none' },
          },
        ),
      ).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining('s3cret-word') }))
    } finally {
      await database.drop()
    }
  })
})

describe('code', () => {
  test('the example follows the rules and is imported', async () => {
    const provider = await loadProvider(examples, './provider.ts')
    expect(await checkProvider(provider, ['date', 'value'])).toEqual([])
    const dataset = await readDatasetFile(join(examples, 'code.yaml'))
    expect((await seriesOf(dataset))['OWN.SERIES']).toHaveLength(12)
  })

  test('broken rules are reported', async () => {
    let run = 0
    expect(
      await checkProvider({ rows: () => [{ date: '2024-01-01', value: ++run }, { date: '2024-02-01' }] as never }, [
        'date',
        'value',
      ]),
    ).toEqual([
      'Row 2 has no value.',
      'Two runs start with different rows.',
      'rows() continues after its signal was aborted.',
    ])
    expect(await checkProvider({ rows: () => [] }, [])).toEqual(['rows() returns no rows.'])
    await expect(loadProvider(import.meta.dirname, './code-source.ts')).rejects.toThrow(
      'the default export must have a function rows()',
    )
  })
})

test.each(['prices-csv', 'prices-postgres', 'fred', 'ecb', 'sec-edgar', 'code'])(
  'the example %s.yaml is a valid manifest',
  async (name) => {
    expect((await readDatasetFile(join(examples, `${name}.yaml`))).id).toMatch(/^[a-z-]+$/)
  },
)
