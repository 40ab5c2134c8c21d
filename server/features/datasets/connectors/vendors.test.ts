import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '#sandbox/sources/answer.ts'
import { alphavantage } from '../../../../datasets/connectors/alphavantage/connector.ts'
import { eodhd } from '../../../../datasets/connectors/eodhd/connector.ts'
import { massive } from '../../../../datasets/connectors/massive/connector.ts'
import { tiingo } from '../../../../datasets/connectors/tiingo/connector.ts'
import { twelvedata } from '../../../../datasets/connectors/twelvedata/connector.ts'
import { assemble } from '../../market-data/market-data.ts'
import { runMarketTool } from '../../market-data/testing/demo-market.ts'
import type { Connector } from './connector.ts'
import { type ConnectorBench, connectorBench } from './testing/connector-bench.ts'

/** Name, requests of a first run for two symbols, requests of the next day, prices in the address of a request. */
const vendors: [Connector, number, number, RegExp][] = [
  [alphavantage, 2, 2, /\/query/],
  [eodhd, 8, 6, /\/api\/eod\//],
  [massive, 8, 6, /\/v2\/aggs\//],
  [tiingo, 4, 2, /\/prices/],
  [twelvedata, 8, 6, /\/time_series/],
]
const SYMBOLS = ['MADE', 'UPCO']
const A_DAY = 86_400_000

const html: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!DOCTYPE html><p>Down for maintenance',
}

describe.each(vendors.map(([connector, ...more]) => [connector.manifest.name, connector, ...more] as const))(
  '%s',
  (name, connector, first, later, prices) => {
    let bench: ConnectorBench
    beforeEach(async () => {
      bench = await connectorBench(connector)
    })
    afterEach(() => bench.close())
    const run = () => bench.run({ selection: SYMBOLS })
    const id = `${name}-daily`

    async function bars(adjust: string, from = '2026-01-09', to = '2026-01-12') {
      const part = await bench.served(id)
      const market = assemble(part ? [part] : [])
      const { rows } = await runMarketTool(market, 'get_bars', {
        symbol: 'MADE',
        adjust,
        from,
        to,
        columns: ['date', 'open', 'high', 'low', 'close', 'volume'],
      })
      return rows
    }

    test('publishes prices as quoted, with the split and dividends', async () => {
      expect(await run()).toMatchObject({ outcome: 'published', requests: first, reasons: [] })
      expect(await bars('none')).toEqual([
        ['2026-01-09', 226.16, 229.43, 225.37, 227.93, 761_000],
        ['2026-01-12', 57.04, 57.5, 55.75, 56.16, 305_000],
      ])
      const [friday, monday] = await bars('splits')
      expect([friday?.[4], monday?.[4]]).toEqual([56.9825, 56.16])
      const part = await bench.served(id)
      const market = assemble([part!])
      const { rows } = await runMarketTool(market, 'get_corporate_actions', { symbol: 'MADE' })
      expect(rows.map((row) => row.slice(0, 2))).toEqual([
        ['2026-02-10', 'dividend'],
        ['2026-01-12', 'split'],
        ['2025-12-10', 'dividend'],
      ])
      expect(part?.manifest).toMatchObject({ redistribution: 'internal', rows: 160, last: '2026-02-27' })
    })

    test('on the next day only what can have changed is asked for', async () => {
      await run()
      bench.asked.length = 0
      bench.nowMs += A_DAY
      expect(await run()).toMatchObject({ outcome: 'unchanged', requests: later })
      expect(bench.asked).toHaveLength(later)
    })

    test('a year later, the year that ended is fetched again and joined without a gap or a double day', async () => {
      await run()
      bench.nowMs = Date.parse('2027-01-20T12:00:00Z')
      expect(await run()).toMatchObject({ outcome: 'unchanged', requests: first, reasons: [] })
      expect((await bench.served(id))?.manifest.rows).toBe(160)
    })

    test('a run that ends in the middle goes on where it was, and publishes the same', async () => {
      const whole = await connectorBench(connector)
      await whole.run({ selection: SYMBOLS })
      const killed = bench.run({
        selection: SYMBOLS,
        progress: (done) => {
          if (done === first / 2) throw new Error('killed')
        },
      })
      await expect(killed).rejects.toThrow('killed')
      expect(await bench.served(id)).toBeNull()
      expect(await run()).toMatchObject({ outcome: 'published', requests: first / 2 })
      const [a, b] = [await bench.served(id), await whole.served(id)]
      expect(a?.manifest.sha256).toBe(b?.manifest.sha256)
      await whole.close()
    })

    test.each([
      ['a web page with 200', () => html, 'a web page instead of data'],
      ['a web page that claims to be JSON', () => ({ ...html, headers: {} }), 'a web page instead of data'],
      ['500', () => ({ status: 500, body: 'Internal Server Error' }), 'the source answered 500'],
      [
        'a cut gzip file',
        ({ body }: Answer) => ({ status: 200, body: gzipSync(body ?? '').subarray(0, 60) }),
        'gzip file is not complete',
      ],
      ['half of an answer', ({ body }: Answer) => ({ status: 200, body: String(body).slice(0, 300) }), 'not JSON'],
      [
        'prices that are none',
        ({ body }: Answer) => ({
          status: 200,
          body: String(body).replaceAll(/"(?:l|low|3\. low)":"?[\d.]+"?/g, (all) =>
            all.replace(/[\d.]+("?)$/, '999$1'),
          ),
        }),
        'these can be no prices',
      ],
    ])('%s is not published', async (_, change, reason) => {
      await run()
      const before = await bars('none', '2026-02-23', '2026-02-27')
      bench.interfere = (asked, answer) => (prices.test(asked.url.pathname) ? change(answer) : answer)
      bench.nowMs += A_DAY
      const report = await run()
      expect(report.outcome).toBe('failed')
      expect(report.reasons.join('\n')).toContain(reason)
      expect(await bars('none', '2026-02-23', '2026-02-27')).toEqual(before)
      expect((await bench.state()).lastGoodAt).toBe('2026-11-23T12:00:00.000Z')
      bench.interfere = (_, answer) => answer
      expect((await run()).outcome).toBe('unchanged')
    })

    test('an unknown symbol is reported, and the others are published', async () => {
      const report = await bench.run({ selection: ['MADE', 'NOPE'] })
      expect(report.outcome).toBe('published')
      expect(report.reasons.join('\n')).toContain('NOPE')
      expect((await bench.served(id))?.manifest).toMatchObject({ rows: 80 })
    })

    test.each(['wrong-key', 'unknown', ''])('the unknown key "%s" ends the run with its setting', async (secret) => {
      const wire = { ...bench.options.wire, secret }
      await expect(bench.run({ selection: SYMBOLS, wire })).rejects.toThrow(
        `the source refuses the key in ${connector.manifest.secret}`,
      )
      expect(await bench.served(id)).toBeNull()
    })

    test('429 is waited for, and then the run stops with a time', async () => {
      let refusals = 0
      const tooMany = { status: 429, headers: { 'retry-after': '30' }, body: '{"code":429,"message":"too many"}' }
      bench.interfere = (_, answer) => (refusals++ < 1 ? tooMany : answer)
      expect((await run()).outcome).toBe('published')
      expect(bench.slept).toEqual([30_000])
      bench.nowMs += A_DAY
      bench.interfere = () => ({ ...tooMany, headers: { 'retry-after': '4000' } })
      expect(await run()).toMatchObject({ outcome: 'stopped', retryAt: expect.stringContaining('T13:07:') })
    })

    test('the key is in no report, state or file name, also if the vendor repeats it', async () => {
      const secret = 'sandbox-secret/key'
      const said = `We have detected your API key as ${secret} and ${'x'.repeat(60)} ${encodeURIComponent(secret)}`
      bench.interfere = () => ({ status: 200, body: said })
      const reports = [await run()]
      bench.interfere = () => ({ status: 403, body: JSON.stringify({ message: said, apikey: secret }) })
      reports.push(await run())
      bench.interfere = () => ({ status: 200, body: `{"Information":"premium: ${secret}","message":"${secret}"}` })
      reports.push(await run())
      expect(reports.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed'])
      expect(reports.every(({ reasons }) => reasons.length > 0)).toBe(true)
      const text = JSON.stringify([reports, await bench.state()])
      expect(text).not.toContain('sandbox-secr')
      // It was sent, though.
      expect(JSON.stringify(bench.asked.map(({ url, headers }) => [url, headers]))).toContain('sandbox-secret')
    })
  },
)

describe('what single vendors say', () => {
  let bench: ConnectorBench
  afterEach(() => bench.close())

  const said: [string, Connector, unknown, string, string][] = [
    [
      'a daily limit',
      alphavantage,
      { Information: 'We have detected your API key as ABC and our standard API rate limit is 25 requests per day.' },
      'stopped',
      '25 requests per day',
    ],
    [
      'a limit by the minute',
      alphavantage,
      { Note: 'Our standard API call frequency is 5 calls per minute.' },
      'stopped',
      '5 calls',
    ],
    ['a premium function', alphavantage, { Information: 'This is a premium endpoint.' }, 'failed', 'premium endpoint'],
    [
      'used up credits',
      twelvedata,
      { code: 429, message: 'You have run out of API credits for the day.', status: 'error' },
      'stopped',
      'credits',
    ],
    [
      'a plan that is too small',
      twelvedata,
      { code: 403, message: '/splits is available exclusively with grow.', status: 'error' },
      'failed',
      'grow',
    ],
    ['an hourly limit as text', tiingo, 'You have run over your hourly request allocation.', 'stopped', 'hourly'],
    [
      'a plan that is too small',
      massive,
      { status: 'NOT_AUTHORIZED', message: 'You are not entitled to this data.' },
      'failed',
      'not entitled',
    ],
  ]
  test.each(said)('%s of %s', async (_, connector, body, outcome, reason) => {
    bench = await connectorBench(connector)
    bench.interfere = () => ({ status: 200, body: typeof body === 'string' ? body : JSON.stringify(body) })
    const report = await bench.run({ selection: SYMBOLS })
    expect([report.outcome, report.reasons[0]]).toEqual([outcome, expect.stringContaining(reason)])
    if (outcome === 'stopped') expect(Date.parse(report.retryAt!)).toBeGreaterThan(bench.nowMs)
  })

  test('402 of EODHD with its limit stops the run', async () => {
    bench = await connectorBench(eodhd)
    bench.interfere = () => ({ status: 402, body: 'You exceeded your daily API requests limit.' })
    expect(await bench.run({ selection: SYMBOLS })).toMatchObject({ outcome: 'stopped' })
  })

  test('EODHD: a symbol of another exchange has its currency; the warning of free keys is no row', async () => {
    bench = await connectorBench(eodhd)
    bench.interfere = ({ url }, answer) =>
      url.pathname.startsWith('/api/eod/')
        ? { ...answer, body: String(answer.body).replace(/]$/, ',{"warning":"Data is limited by one year"}]') }
        : answer
    expect(await bench.run({ selection: ['MADE.AU', 'UPCO'] })).toMatchObject({ outcome: 'published', reasons: [] })
    const part = await bench.served('eodhd-daily')
    expect(part?.kind === 'bars' && part.symbols.map(({ manifest }) => [manifest.symbol, manifest.currency])).toEqual([
      ['MADE.AU', 'AUD'],
      ['UPCO', 'USD'],
    ])
  })

  test('Massive: every page is followed, with the key, and never to another host', async () => {
    bench = await connectorBench(massive)
    const cut = bench.options.wire.via
    const wire = { ...bench.options.wire, via: (url: string) => cut(url.replace('limit=50000', 'limit=15')) }
    expect(await bench.run({ selection: ['MADE'], wire })).toMatchObject({ outcome: 'published', reasons: [] })
    expect((await bench.served('massive-daily'))?.manifest.rows).toBe(80)
    expect(bench.asked.every(({ headers }) => headers.authorization === 'Bearer sandbox-secret/key')).toBe(true)
    bench.interfere = (_, answer) => ({
      ...answer,
      body: String(answer.body).replace('"status":"OK"', '"status":"OK","next_url":"https://evil.example/v2"'),
    })
    bench.nowMs += A_DAY
    const report = await bench.run({ selection: ['MADE'] })
    expect([report.outcome, report.reasons[0]]).toEqual([
      'failed',
      expect.stringContaining('another host: evil.example'),
    ])
  })

  test('a split that becomes known later changes the years before', async () => {
    bench = await connectorBench(massive)
    bench.interfere = (asked, answer) =>
      asked.url.pathname.endsWith('/splits') ? { status: 200, body: '{"status":"OK","results":[]}' } : answer
    await bench.run({ selection: ['MADE'] })
    bench.nowMs += A_DAY
    bench.interfere = (_, answer) => answer
    expect(await bench.run({ selection: ['MADE'] })).toMatchObject({ outcome: 'published' })
    const part = await bench.served('massive-daily')
    const { rows } = await runMarketTool(assemble([part!]), 'get_corporate_actions', { symbol: 'MADE', type: 'split' })
    expect(rows).toHaveLength(1)
  })

  test('Alpha Vantage: symbols of other exchanges are refused, because answers name no currency', async () => {
    bench = await connectorBench(alphavantage)
    const report = await bench.run({ selection: ['MADE', 'TSCO.LON', '../../etc'] })
    expect(report.reasons).toEqual([
      '../../etc: not a symbol',
      'TSCO.LON: only symbols of the United States, because answers name no currency',
    ])
  })
})
