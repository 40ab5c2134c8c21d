import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ecb } from '../../../../datasets/connectors/ecb/connector.ts'
import { sec } from '../../../../datasets/connectors/sec/connector.ts'
import { tiingo } from '../../../../datasets/connectors/tiingo/connector.ts'
import { treasury } from '../../../../datasets/connectors/treasury/connector.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { createBarMemory } from '../../market-data/bar-store/bar-memory.ts'
import { marketDataTools } from '../../market-data/tools.ts'
import { startToolServer } from '../../tools/testing/tool-server.ts'
import { type PublishedData, servePublished } from '../serve-published.ts'
import { connectorBench } from './testing/connector-bench.ts'

let mcp: Client
let published: PublishedData[]
let key: string
const server = await closeAfterTests(startToolServer(marketDataTools))
const benches = await Promise.all([sec, treasury, ecb, tiingo].map((connector) => connectorBench(connector)))
beforeAll(async () => {
  await benches[0]!.run({ selection: ['AAPL'] })
  await benches[1]!.run()
  await benches[2]!.run()
  await benches[3]!.run({ selection: ['MADE'] })
  published = []
  for (const { options } of benches)
    published.push(
      await servePublished(options.published, server.deps.market, server.deps.log, createBarMemory(2 ** 20)),
    )
  key = (await server.key({ credits: 100 })).value
  mcp = new Client({ name: 'reader', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await mcp.connect(transport)
})
afterAll(async () => {
  for (const one of published ?? []) one.close()
  await mcp?.close()
  await Promise.all(benches?.map((bench) => bench.close()) ?? [])
})

const get = async (path: string) => {
  const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })
  return { status: answer.status, charged: answer.headers.get('x-credits-charged'), text: await answer.text() }
}

test('statements as of a date, and each value with its filing, as JSON and CSV', async () => {
  const { status, charged, text } = await get('/v1/financials/AAPL?as_of=2010-01-24&fields=revenue&limit=1')
  expect([status, charged]).toEqual([200, '3'])
  const { data, meta } = JSON.parse(text)
  expect(data).toEqual([{ period_end: '2009-09-26', fiscal_year: 2009, revenue: 36_537_000_000 }])
  expect(meta).toMatchObject({
    as_of: '2010-01-24',
    currency: 'USD',
    filings: { '2009-09-26': { form: '10-K', filed: '2009-10-27', accession: '0001193125-09-214859' } },
  })
  const csv = await get('/v1/financials/AAPL?period=quarterly&fields=net_income&orient=values&limit=2&format=csv')
  expect(csv.text.trim().split(/\r?\n/).slice(0, 3)).toEqual([
    'line,period_end,fiscal_year,fiscal_quarter,value,unit,tag,reported,form,filed,accession,restated,derived',
    'net_income,2025-12-27,2026,1,42097000000,USD,us-gaap:NetIncomeLoss,42097000000,10-Q,2026-01-30,0000320193-26-000006,false,',
    'net_income,2025-09-27,2025,4,27466000000,USD,,,10-K,2025-10-31,0000320193-25-000079,false,year less 9 months',
  ])
})

test('yields by our name and by the name that FRED uses; their age is in the status', async () => {
  const { data, meta } = JSON.parse((await get('/v1/series/DGS10?from=2026-07-01')).text)
  expect(data.map(({ date, value }: { date: string; value: number }) => [date, value])).toEqual([
    ['2026-07-01', 4.48],
    ['2026-07-02', 4.49],
  ])
  expect(meta).toMatchObject({ series_id: 'US.TREASURY.10Y', retrieved_at: '2026-11-23T12:00:00.000Z' })
  const { data: status } = JSON.parse((await get('/v1/status')).text)
  expect(status.fetched).toContainEqual(
    expect.objectContaining({ dataset: 'treasury-yields', retrieved_at: '2026-11-23T12:00:00.000Z' }),
  )
})

test('one figure of each kind of data over REST, CSV and MCP', async () => {
  const kinds: [string, string, Record<string, unknown>, string, string, unknown][] = [
    [
      '/v1/financials/AAPL?fields=revenue&limit=1&as_of=2025-11-01',
      'get_financials',
      { symbol: 'AAPL', fields: ['revenue'], limit: 1, as_of: '2025-11-01', orient: 'periods' },
      'revenue',
      '2025-09-27,2025,416161000000',
      416_161_000_000,
    ],
    [
      '/v1/series/US.TREASURY.10Y?from=2026-07-02',
      'get_economic_series',
      { series_id: 'US.TREASURY.10Y', from: '2026-07-02' },
      'value',
      '2026-07-02,4.49',
      4.49,
    ],
    [
      '/v1/fx/convert?amount=100&from=EUR&to=USD&date=2026-04-13',
      'convert_currency',
      { amount: '100', from: 'EUR', to: 'USD', date: '2026-04-13' },
      'rate',
      '100,EUR,116.84,USD,1.1684,2026-04-13,direct',
      1.1684,
    ],
    [
      '/v1/bars/MADE?from=2026-02-27&columns=date,close',
      'get_bars',
      { symbol: 'MADE', from: '2026-02-27', columns: ['date', 'close'] },
      'close',
      '2026-02-27,61.55',
      61.55,
    ],
  ]
  for (const [path, tool, args, column, line, figure] of kinds) {
    const { status, text } = await get(path)
    expect([status, JSON.parse(text).data[0][column]]).toEqual([200, figure])
    const csv = await get(`${path}&format=csv`)
    expect(csv.text.trim().split(/\r?\n/)[1]).toBe(line)
    const { structuredContent } = await mcp.callTool({ name: tool, arguments: args })
    const { columns, rows } = structuredContent as { columns: string[]; rows: unknown[][] }
    expect(rows[0]![columns.indexOf(column)]).toBe(figure)
  }
})

test("vendors' prices need an account", async () => {
  const mayRead = async (accountId: number) =>
    (await server.deps.market.of({ accountId })).catalog.find('MADE') !== undefined
  // The demo key has no account: a number below 0.
  expect([await mayRead(1), await mayRead(-1)]).toEqual([true, false])
})
