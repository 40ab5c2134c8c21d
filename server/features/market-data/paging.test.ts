import { describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import type { DatasetPart } from './dataset-part.ts'
import { assemble } from './market-data.ts'
import { marketDataTools } from './tools.ts'

const server = await closeAfterTests(startToolServer(marketDataTools))
const key = await server.key({ credits: 100_000 })

const newest = { 'x-api-key': '', 'content-type': 'application/json' }

/**
 * For each paged tool: a request, its page-size parameter, a small page, everything, another request, and what
 * identifies a row.
 */
const paged: Record<string, { path: string; body?: object; size?: string; page: number; all: number; other: string }> =
  {
    search_symbols: { path: '/v1/symbols?type=stock', page: 150, all: 500, other: '/v1/symbols?type=index' },
    get_bars: { path: '/v1/bars/GE?range=1y', page: 70, all: 1000, other: '/v1/bars/GE?range=6mo' },
    get_bars_batch: {
      path: '/v1/bars?symbols=GE,SPX&range=1mo',
      page: 9,
      all: 1000,
      other: '/v1/bars?symbols=GE,SPX&range=3mo',
    },
    compute_indicator: {
      path: '/v1/indicators/GE?name=rsi&from=2014-01-02&to=2014-12-31',
      size: 'last',
      page: 100,
      all: 1000,
      other: '/v1/indicators/GE?name=rsi&from=2014-01-03&to=2014-12-31',
    },
    get_corporate_actions: { path: '/v1/actions/MSFT', page: 20, all: 1000, other: '/v1/actions/MSFT?type=split' },
    screen_stocks: {
      path: '/v1/screen',
      body: { filters: [{ field: 'revenue', op: 'gt', value: 20_000_000_000 }], columns: ['symbol', 'revenue'] },
      page: 40,
      all: 500,
      other: '',
    },
    get_fx_rates: {
      path: '/v1/fx?base=USD&quotes=EUR,GBP,JPY,CHF&from=2024-01-01&to=2026-12-31',
      page: 7,
      all: 1000,
      other: '/v1/fx?base=USD&quotes=EUR&from=2024-01-01&to=2026-12-31',
    },
    get_economic_series: {
      path: '/v1/series/US.CPI?range=20y',
      page: 100,
      all: 1000,
      other: '/v1/series/US.CPI?range=10y',
    },
    list_series: { path: '/v1/series', page: 13, all: 1000, other: '/v1/series?q=jobs' },
    list_datasets: { path: '/v1/datasets', page: 6, all: 1000, other: '/v1/datasets?kind=series' },
  }

interface Answer {
  status: number
  data: Record<string, unknown>[]
  next_cursor: string | null
  code?: string
  param?: string
}

/** One request, with these inputs in the query or, for POST, in the body. */
async function ask(name: string, more: Record<string, unknown>, path = paged[name]!.path): Promise<Answer> {
  const { body } = paged[name]!
  const headers = { ...newest, 'x-api-key': key.value }
  const query = Object.entries(more)
    .map(([input, value]) => `${path.includes('?') ? '&' : '?'}${input}=${value}`)
    .join('')
    .replaceAll('?', (mark, at) => (at === 0 ? mark : '&'))
  const answer = body
    ? await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify({ ...body, ...more }) })
    : await fetch(server.url + path + query, { headers })
  return { status: answer.status, ...(await answer.json()) }
}

const tables = marketDataTools.filter(({ kind }) => kind === 'table')

test('every table has a cursor, or says why one answer is complete', () => {
  const silent = tables.filter(({ input, whole }) => 'cursor' in input.shape === (whole !== undefined))
  expect(silent.map(({ name }) => name)).toEqual([])
  expect(tables.length).toBeGreaterThan(15)
})

test('every table with a cursor is in the list below', () => {
  const names = tables.filter(({ input }) => 'cursor' in input.shape).map(({ name }) => name)
  expect(names.sort()).toEqual(Object.keys(paged).sort())
})

describe.each(Object.keys(paged))('%s', (name) => {
  const { size = 'limit', page, all, other, body } = paged[name]!
  const firstPage = () => ask(name, { [size]: page })

  test('pages join to the whole: no row twice, none missing, the last without a cursor', async () => {
    const whole = await ask(name, { [size]: all })
    expect([whole.status, whole.next_cursor]).toEqual([200, null])
    const pages: object[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: Answer = await ask(name, { [size]: page, ...(cursor && { cursor }) })
      expect(answer.status).toBe(200)
      pages.push(answer.data)
      cursor = answer.next_cursor
    }
    expect(pages.length).toBeGreaterThan(1)
    const known = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort()
    expect(known(pages.flat())).toEqual(known(whole.data))
    // Pages of several symbols go back in time together; all others keep the overall order.
    if (name !== 'get_bars_batch') expect(pages.flat()).toEqual(whole.data)
  })

  test('a damaged cursor is refused by name and charged nothing', async () => {
    const { next_cursor: cursor } = await firstPage()
    const before = await server.spending(key.accountId)
    const changed = cursor!.slice(0, 5) + (cursor![5] === 'A' ? 'B' : 'A') + cursor!.slice(6)
    for (const bad of [changed, cursor!.slice(1), 'x', '0'.repeat(64)]) {
      const { status, code, param } = await ask(name, { [size]: page, cursor: bad })
      expect({ bad, status, code, param }).toEqual({ bad, status: 400, code: 'invalid_parameter', param: 'cursor' })
    }
    expect(await server.spending(key.accountId)).toEqual(before)
  })

  test('a cursor of another request is refused by name', async () => {
    const { next_cursor: cursor } = await firstPage()
    const changed = body
      ? await ask(name, { [size]: page, cursor, sort: 'revenue' })
      : await ask(name, { [size]: page, cursor }, other)
    expect(changed).toMatchObject({ status: 400, code: 'invalid_parameter', param: 'cursor' })
  })

  test('when the data change between two pages, the cursor has expired', async () => {
    const { next_cursor: cursor } = await firstPage()
    const served = server.deps.market.current
    const charged = await server.spending(key.accountId)
    server.deps.market.replace(assemble(served.parts.map(asNewVersion)))
    try {
      expect(await ask(name, { [size]: page, cursor })).toMatchObject({ status: 400, code: 'cursor_expired' })
      expect(await server.spending(key.accountId)).toEqual(charged)
      expect((await firstPage()).status).toBe(200)
    } finally {
      server.deps.market.replace(served)
    }
  })

  test('dry_run returns the price of a page', async () => {
    const { data } = await ask(name, { [size]: page, dry_run: true })
    expect(Object.keys(data[0]!)).toEqual(['rows', 'bytes', 'estimated_tokens', 'credits'])
  })
})

/** The same data as a later import would publish it: under another version. */
function asNewVersion(part: DatasetPart): DatasetPart {
  const renewed = <M extends { sha256: string }>(manifest: M): M => ({ ...manifest, sha256: 'f'.repeat(64) })
  const manifest = renewed(part.manifest)
  if (part.kind === 'bars')
    return { ...part, manifest, symbols: part.symbols.map((one) => ({ ...one, manifest: renewed(one.manifest) })) }
  if (part.kind === 'series')
    return { ...part, manifest, series: part.series.map((one) => ({ ...one, datasetVersion: 'later' })) }
  if (part.kind === 'rates') return { ...part, manifest, rates: { ...part.rates, datasetVersion: 'later' } }
  return { ...part, manifest }
}
