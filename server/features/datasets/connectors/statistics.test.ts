import { afterEach, describe, expect, test } from 'vitest'
import { bls } from '../../../../datasets/connectors/bls/connector.ts'
import { worldbank } from '../../../../datasets/connectors/worldbank/connector.ts'
import type { Connector } from './connector.ts'
import { type ConnectorBench, connectorBench } from './testing/connector-bench.ts'

let bench: ConnectorBench
const start = async (connector: Connector) => {
  bench = await connectorBench(connector)
  return bench
}
afterEach(() => bench.close())

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
      '{"status":"REQUEST_SUCCEEDED","Results":{"series":[{"seriesID":"X","data":[{"year":"2024","period":"M01","value":"n/a"}]}]}}',
      'X 2024 M01: n/a is no number',
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
