import { afterEach, describe, expect, test } from 'vitest'
import { bls } from '../../../../datasets/connectors/bls/connector.ts'
import { ecb } from '../../../../datasets/connectors/ecb/connector.ts'
import { treasury } from '../../../../datasets/connectors/treasury/connector.ts'
import { worldbank } from '../../../../datasets/connectors/worldbank/connector.ts'
import type { Connector } from './connector.ts'
import { type ConnectorBench, connectorBench } from './testing/connector-bench.ts'

let bench: ConnectorBench
const start = async (connector: Connector) => {
  bench = await connectorBench(connector)
  return bench
}
afterEach(() => bench?.close())

describe('worldbank', () => {
  test('publishes years with a value, named and with their unit', async () => {
    const { run, series, served } = await start(worldbank)
    expect(await run()).toMatchObject({ outcome: 'published', requests: 5, reasons: [] })
    const dollars = await series.call(bench, 'worldbank-indicators', 'WB.US.NY.GDP.MKTP.CD')
    expect(dollars['2022-01-01']).toBe(25_439_700_000_000)
    // 2023 had no value yet.
    expect(dollars['2023-01-01']).toBeUndefined()
    const part = await served('worldbank-indicators')
    expect(part?.kind === 'series' && part.series.find(({ id }) => id === 'WB.MX.NY.GDP.MKTP.CD')).toMatchObject({
      name: 'GDP (current US$), Mexico',
      unit: 'current US$',
    })
  })

  test('every page is fetched', async () => {
    const { run, asked } = await start(worldbank)
    bench.interfere = ({ url }, answer) => {
      const [head, rows] = JSON.parse(String(answer.body)) as [{ pages: number }, unknown[] | null]
      return {
        ...answer,
        body: JSON.stringify([{ ...head, pages: 2 }, url.searchParams.get('page') === '2' ? null : rows]),
      }
    }
    expect((await run()).requests).toBe(10)
    expect(asked.filter(({ url }) => url.searchParams.get('page') === '2')).toHaveLength(5)
  })

  test('an error with status 200 is not published', async () => {
    const { run, served } = await start(worldbank)
    bench.interfere = (_, answer) => ({
      ...answer,
      body: '[{"message":[{"id":"120","key":"Invalid value","value":"The provided parameter value is not valid"}]}]',
    })
    const report = await run()
    expect(report.outcome).toBe('failed')
    expect(report.reasons[0]).toBe('NY.GDP.MKTP.CD-1: the source refused: The provided parameter value is not valid')
    expect(await served('worldbank-indicators')).toBeNull()
  })
})

describe('bls', () => {
  test('publishes months, not averages of years, and asks for ten years at once', async () => {
    const { run, series, asked } = await start(bls)
    expect(await run()).toMatchObject({ outcome: 'published', requests: 4, reasons: [] })
    const prices = await series.call(bench, 'bls-series', 'BLS.CUUR0000SA0')
    expect([prices['2024-05-01'], prices['2019-12-01'], prices['2020-04-01']]).toEqual([314.069, 256.974, 256.389])
    expect(Object.values(prices)).not.toContain(255.657)
    expect(JSON.parse(asked.at(-1)!.body)).toMatchObject({ startyear: '2020', endyear: '2026' })
  })

  test.each([
    [
      '{"status":"REQUEST_NOT_PROCESSED","responseTime":0,"message":["the daily threshold has been reached."],"Results":{}}',
      'the daily threshold has been reached',
    ],
    [
      '{"status":"REQUEST_SUCCEEDED","Results":{"series":[{"seriesID":"LNS14000000","data":[{"year":"2024","period":"M01","value":"n/a"}]}]}}',
      'LNS14000000 2024 M01: n/a is no number',
    ],
    ['{"errors":["busy"]}', 'the answer has another form'],
  ])('%s is not published', async (body, reason) => {
    const { run } = await start(bls)
    bench.interfere = (_, answer) => ({ ...answer, body })
    const report = await run()
    expect(report.outcome).toBe('failed')
    expect(report.reasons.join()).toContain(reason)
  })
})

/** Answers of a source as `parse` reads them; none of these may become data. */
describe('nearly right answers', () => {
  const rates = (...cubes: string[]) => `<gesmes:Envelope xmlns:x="y"><Cube>${cubes.join('')}</Cube></gesmes:Envelope>`
  const months = (...data: object[]) =>
    JSON.stringify({ status: 'REQUEST_SUCCEEDED', Results: { series: [{ seriesID: 'CUUR0000SA0', data }] } })
  const year = '2025'

  test.each<[string, Connector, string, string, string]>([
    [
      'treasury',
      treasury,
      year,
      'Date,"1 Mo","2 Mo"\n02/18/2025,4.37,4.36\n02/14/2025,4',
      'line 3 has 2 cells instead of 3',
    ],
    ['treasury', treasury, year, 'Date,"1 Mo"\n02/30/2025,4.37\n', '02/30/2025 is no date of 2025'],
    ['treasury', treasury, year, 'Date,"1 Mo"\n02/18/2025,0x4\n', '0x4 is no yield in percent'],
    ['treasury', treasury, year, 'Date,"1 Mo","1 Mo"\n02/18/2025,4.3,4.4\n', 'two columns are US.TREASURY.1M'],
    ['ecb', ecb, '1-history', 'Date,USD,JPY,\n2026-04-13,1.1,160,\n2026-04-10,1', 'line 3 has 2 cells instead of 4'],
    ['ecb', ecb, '1-history', 'Date,USD,\n2026-02-30,1.1,\n', '2026-02-30 is no date'],
    [
      'ecb',
      ecb,
      '2-recent',
      rates("<Cube time='2026-04-13'>", "<Cube currency='USD' rate='1e3'/>", '</Cube>'),
      '1e3 is no rate',
    ],
    ['bls', bls, '2020', months({ year: '2025', period: 'M01', value: '0x10' }), '0x10 is no number'],
    ['worldbank', worldbank, 'X-1', JSON.stringify([{ page: 2, pages: 2 }, null]), 'the answer is page 2, not 1'],
  ])('%# %s', (_, connector, part, text, reason) => {
    const request = { part, url: '', about: { indicator: 'X', page: '1' } }
    expect(() => connector.parse(Buffer.from(text), request, null)).toThrow(reason)
  })

  test('months without a value, averages of years and series that were not asked for are left out', () => {
    const missing = months({ year, period: 'M10', value: ' - ' }, { year, period: 'M13', value: '320.1' })
    const read = (text: string) => bls.parse(Buffer.from(text), { part: '2020', url: '' }, null).rows
    expect(read(missing)).toEqual({ 'bls-series': [] })
    const other = months({ year, period: 'M01', value: '1' }).replace('CUUR0000SA0', 'SUUR0000SA0')
    expect(read(other)).toEqual({ 'bls-series': [] })
  })
})
