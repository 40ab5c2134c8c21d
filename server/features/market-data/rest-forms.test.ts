import { parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { productTools } from '../../product-tools.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'

const server = await closeAfterTests(startToolServer(productTools))
const key = await server.key({ credits: 1000 })

const get = (path: string, headers: Record<string, string> = {}, apiKey = key.value) =>
  fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${apiKey}`, ...headers } })

describe('POST /v1/options/price', () => {
  const hull = { type: 'call', spot: 42, strike: 40, rate: 0.1, volatility: 0.2 }
  const price = async (term: object) => {
    const answer = await fetch(`${server.url}/v1/options/price`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.value}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...hull, ...term }),
    })
    return { status: answer.status, ...(await answer.json()) }
  }
  const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

  test('accepts an expiry date instead of days, counted from today', async () => {
    const byDate = await price({ expiry: dateIn(73) })
    // 72 if the test runs past midnight.
    expect([72, 73]).toContain(byDate.meta.days)
    expect(byDate.data).toEqual((await price({ days: byDate.meta.days })).data)
    expect((await price({ days: 182.5 })).data[0].price).toBeCloseTo(4.759422, 6)
  })

  test('requires exactly one of the two, and a future date', async () => {
    const refused = { status: 400, code: 'invalid_parameter', param: 'expiry' }
    expect(await price({})).toMatchObject({ ...refused, detail: 'Send either days or expiry.' })
    expect(await price({ days: 30, expiry: dateIn(30) })).toMatchObject(refused)
    for (const expiry of [dateIn(-1), dateIn(0), '9999-12-31', '2030-02-30', 'soon'])
      expect(await price({ expiry })).toMatchObject(refused)
  })
})

describe('dry_run', () => {
  test('returns rows, bytes, tokens and credits of a call, and charges nothing', async () => {
    const before = await server.spending(key.accountId)
    const answer = await get('/v1/bars/GE?range=max&limit=2001&dry_run=true')
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0'])
    expect(answer.headers.has('x-receipt-id')).toBe(false)
    const { data, meta } = await answer.json()
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ rows: 2001, credits: 3 })
    expect(data[0].bytes).toBeGreaterThan(80_000)
    expect(data[0].estimated_tokens).toBeGreaterThan(40_000)
    expect(meta.dry_run).toBe(true)
    expect(await server.spending(key.accountId)).toEqual(before)
  })

  test('in a body too, and without credits', async () => {
    const poor = await server.key()
    const answer = await fetch(`${server.url}/v1/options/price`, {
      method: 'POST',
      headers: { authorization: `Bearer ${poor.value}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'call',
        spot: 42,
        strike: 40,
        days: 182.5,
        rate: 0.1,
        volatility: 0.2,
        dry_run: true,
      }),
    })
    expect(answer.status).toBe(200)
    expect((await answer.json()).data[0].credits).toBe(1)
  })

  test('of an empty answer is 0 credits; of a wrong call is the same error', async () => {
    expect((await (await get('/v1/bars/AAPL?from=9999-12-31&dry_run=true')).json()).data[0]).toMatchObject({
      rows: 0,
      credits: 0,
    })
    for (const path of ['/v1/symbols/AAPL', '/v1/datasets/ge-daily', '/v1/status', '/v1/usage']) {
      const value = await get(`${path}?dry_run=true`)
      expect([path, value.status, (await value.json()).data]).toEqual([
        path,
        200,
        { rows: 1, bytes: expect.any(Number), estimated_tokens: expect.any(Number), credits: 0 },
      ])
    }
    expect((await get('/v1/bars/NOPE?dry_run=true')).status).toBe(404)
    const wrong = await get('/v1/bars/AAPL?dry_run=maybe')
    expect([wrong.status, (await wrong.json()).param]).toEqual([400, 'dry_run'])
  })
})

describe('columns', () => {
  test('returns the given columns, in that order, on any table', async () => {
    const { data } = await (await get('/v1/quotes?symbols=AAPL,MSFT&columns=close,symbol')).json()
    expect(data.map((row: object) => Object.keys(row))).toEqual([
      ['close', 'symbol'],
      ['close', 'symbol'],
    ])
    expect(data).toMatchObject([
      { close: expect.any(Number), symbol: 'AAPL' },
      { close: expect.any(Number), symbol: 'MSFT' },
    ])
  })

  test('an unknown one is refused without charge, with a list of the known ones', async () => {
    const before = await server.spending(key.accountId)
    const answer = await get('/v1/quotes?symbols=AAPL&columns=price')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      param: 'columns',
      allowed: expect.arrayContaining(['close', 'age_days']),
    })
    expect(await server.spending(key.accountId)).toEqual(before)
  })
})

describe('precision', () => {
  const path = '/v1/bars/GE?from=1998-03-02&to=1998-03-06&adjust=all'

  test('rounds numbers to that many decimals, in every format, and changes nothing else', async () => {
    const plain = (await (await get(path)).json()).data as Record<string, number>[]
    const rounded = plain.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'number' ? Number(value.toFixed(1)) : value,
        ]),
      ),
    )
    expect(rounded).not.toEqual(plain)
    const answers = async (format: string) => get(`${path}&precision=1&format=${format}`)
    expect((await (await answers('json')).json()).data).toEqual(rounded)
    expect((await (await answers('columns')).json()).data.rows).toEqual(rounded.map((row) => Object.values(row)))
    expect((await (await answers('csv')).text()).trim().split('\r\n').slice(1)).toEqual(
      rounded.map((row) => Object.values(row).join(',')),
    )
    expect(await parquetReadObjects({ file: await (await answers('parquet')).arrayBuffer() })).toEqual(rounded)
    const [quote] = (await (await get('/v1/quotes?symbols=AAPL&precision=0')).json()).data
    expect([quote.symbol, quote.close, quote.change]).toEqual(['AAPL', 189, -1])
    expect((await (await get(path)).json()).data).toEqual(plain)
  })

  test.each(['-1', '1.5', '13', 'two', ''])('%s is refused', async (precision) => {
    const answer = await get(`${path}&precision=${precision}`)
    expect([answer.status, (await answer.json()).param]).toEqual([400, 'precision'])
  })
})

describe('fill and session', () => {
  test('are accepted with their only value', async () => {
    expect((await get('/v1/bars/AAPL?limit=1&fill=none&session=regular')).status).toBe(200)
    const answer = await get('/v1/bars/AAPL?limit=1&fill=previous')
    expect([answer.status, (await answer.json()).allowed]).toEqual([400, ['none']])
  })
})

describe('formats', () => {
  const path = '/v1/bars/AAPL?from=2018-05-01&to=2018-05-11'

  test('json, columns, CSV, NDJSON and Parquet contain the same rows', async () => {
    const json = await (await get(path)).json()
    expect(json.data).toHaveLength(9)
    expect(json.data.at(-1)).toEqual({
      date: '2018-05-11',
      open: 189.49,
      high: 190.06,
      low: 187.45,
      close: 188.59,
      volume: 25806600,
    })
    const columns = await (await get(`${path}&format=columns`)).json()
    expect(columns.data.rows.at(-1)).toEqual(Object.values(json.data.at(-1)))
    const csv = await (await get(`${path}&format=csv`)).text()
    expect(csv.split('\r\n').at(-2)).toBe('2018-05-11,189.49,190.06,187.45,188.59,25806600')
    const lines = (await (await get(`${path}&format=ndjson`)).text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(json.data)
    for (const parquet of [
      await get(`${path}&format=parquet`),
      await get(path, { accept: 'application/vnd.apache.parquet' }),
    ]) {
      expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet')
      expect(await parquetReadObjects({ file: await parquet.arrayBuffer() })).toEqual(json.data)
    }
  })

  test('Parquet keeps nulls, texts and flags', async () => {
    const calendar = '/v1/calendar/XNYS?from=2012-10-26&to=2012-10-31'
    const json = await (await get(calendar)).json()
    const parquet = await (await get(`${calendar}&format=parquet`)).arrayBuffer()
    expect(await parquetReadObjects({ file: parquet })).toEqual(json.data)
    expect(json.data[3]).toMatchObject({ open: false, opens_at: null, reason: 'Hurricane Sandy' })
  })
})

describe('ETag', () => {
  test('an unchanged answer is 304, empty and free; another form or request is another answer', async () => {
    const path = '/v1/bars/MSFT?from=2010-01-01&to=2010-02-01'
    const first = await get(path)
    const etag = first.headers.get('etag')!
    expect([first.status, first.headers.get('x-credits-charged'), etag.length > 20]).toEqual([200, '1', true])
    const before = await server.spending(key.accountId)
    for (const header of [etag, `"other", W/${etag}`]) {
      const again = await get(path, { 'if-none-match': header })
      expect([again.status, await again.text(), again.headers.get('x-credits-charged')]).toEqual([304, '', '0'])
      expect(again.headers.get('etag')).toBe(etag)
    }
    expect(await server.spending(key.accountId)).toEqual(before)
    for (const other of [`${path}&format=csv`, path.replace('02-01', '02-02')]) {
      const answer = await get(other, { 'if-none-match': etag })
      expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1'])
    }
  })
})

describe('cursors', () => {
  test.each([
    '/v1/series/US.CPI?range=max&limit=700',
    '/v1/symbols?type=stock&limit=300',
    '/v1/series/US.SHILLER.CAPE?range=max&limit=900',
  ])('pages of %s add up to the whole result, each row once', async (path) => {
    const whole = await (
      await get(path.replace(/limit=\d+/, path.includes('symbols') ? 'limit=500' : 'limit=5000'))
    ).json()
    const pages = []
    let cursor: string | null = ''
    do {
      const { data, next_cursor }: { data: object[]; next_cursor: string | null } = await (
        await get(`${path}${cursor && `&cursor=${cursor}`}`)
      ).json()
      pages.push(...data)
      cursor = next_cursor
    } while (cursor)
    expect(pages).toEqual(whole.data)
    expect(pages.length).toBeGreaterThan(400)
  })

  test('a cursor of another request, or tampered with, is refused', async () => {
    const { next_cursor: cursor } = await (await get('/v1/series/US.CPI?range=max&limit=10')).json()
    expect((await get(`/v1/series/US.CPI?range=max&limit=20&cursor=${cursor}`)).status).toBe(200)
    for (const path of [
      `/v1/series/US.CPI?range=max&units=yoy&limit=10&cursor=${cursor}`,
      `/v1/series/US.CPI?range=max&limit=10&cursor=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`,
    ]) {
      const answer = await get(path)
      expect([answer.status, (await answer.json()).param]).toEqual([400, 'cursor'])
    }
  })
})

describe('the demo key', () => {
  test('reads open and demonstration data without an account, free', async () => {
    for (const path of ['/v1/bars/AAPL?range=1mo', '/v1/series/US.CPI']) {
      const answer = await get(path, {}, 'demo')
      expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0'])
      expect(answer.headers.has('x-receipt-id')).toBe(false)
      expect((await answer.json()).data.length).toBeGreaterThan(10)
    }
    expect((await fetch(`${server.url}/v1/bars/AAPL?apikey=demo`)).status).toBe(200)
  })

  test('has no usage to show', async () => {
    const answer = await get('/v1/usage', {}, 'demo')
    expect([answer.status, (await answer.json()).code]).toEqual([403, 'forbidden'])
  })

  test('is limited per address', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await get('/v1/status', {}, 'demo')).status),
    )
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(30)
    const refused = await get('/v1/status', {}, 'demo')
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  })
})
