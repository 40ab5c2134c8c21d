import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ecb } from '../../../../datasets/connectors/ecb/connector.ts'
import { treasury } from '../../../../datasets/connectors/treasury/connector.ts'
import { versionStore } from '../version-store.ts'
import { type ConnectorBench, connectorBench } from './testing/connector-bench.ts'

const YIELDS = 'treasury-yields'
const RATES = 'ecb-reference-rates'

describe('treasury', () => {
  let bench: ConnectorBench
  beforeEach(async () => {
    bench = await connectorBench(treasury)
  })
  afterEach(() => bench.close())

  test('publishes what the Treasury published, with its gaps', async () => {
    expect(await bench.run()).toMatchObject({ outcome: 'published', requests: 37, reasons: [] })
    const ten = await bench.series(YIELDS, 'US.TREASURY.10Y')
    expect(ten['2026-07-02']).toBe(4.49)
    expect(ten['2023-08-31']).toBe(4.09)
    expect(ten['2026-07-03']).toBeUndefined()
    expect((await bench.series(YIELDS, 'US.TREASURY.1_5M'))['2026-07-02']).toBe(3.73)
    // The one-month bill began in July 2001; the recorded days have it from October.
    expect(Object.keys(await bench.series(YIELDS, 'US.TREASURY.1M'))[0]).toBe('2001-10-19')
  })

  test('a later run asks only for the year that goes on, and the data is confirmed', async () => {
    await bench.run()
    const { version } = { version: await versionStore(bench.options.published).current(YIELDS) }
    bench.asked.length = 0
    bench.nowMs += 86_400_000
    expect(await bench.run()).toMatchObject({ outcome: 'unchanged' })
    expect(bench.asked.map(({ url }) => url.pathname.split('/')[5])).toEqual(['2026'])
    const part = await bench.served(YIELDS)
    expect(part?.manifest.retrieved_at).toBe('2026-11-24T12:00:00.000Z')
    expect(await versionStore(bench.options.published).current(YIELDS)).toBe(version)
  })

  test('a run that ends in the middle goes on where it was, and publishes the same', async () => {
    const whole = await connectorBench(treasury)
    await whole.run()
    const stop = bench.run({
      progress: (done) => {
        if (done === 20) throw new Error('killed')
      },
    })
    await expect(stop).rejects.toThrow('killed')
    expect(await bench.served(YIELDS)).toBeNull()
    expect(await bench.run()).toMatchObject({ outcome: 'published', requests: 17 })
    expect(bench.asked).toHaveLength(37)
    const [a, b] = [await bench.served(YIELDS), await whole.served(YIELDS)]
    expect(a?.manifest.sha256).toBe(b?.manifest.sha256)
    await whole.close()
  })

  /** Each is sent instead of 2026 after a good run; the served data must stay as it was. */
  test.each([
    [
      'a web page with 200',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html><p>Sorry' },
      'failed',
      'a web page instead of data',
    ],
    [
      'a web page that claims to be CSV',
      { status: 200, headers: { 'content-type': 'text/csv' }, body: '<html><p>Sorry' },
      'failed',
      'a web page instead of data',
    ],
    ['an error text with 200', { status: 200, body: 'The service is not available.' }, 'failed', 'column Date'],
    ['an empty answer', { status: 200, body: '' }, 'failed', 'the answer is empty'],
    ['a year that shrank', { status: 200, body: 'Date,"10 Yr"\n' }, 'refused', 'went_back'],
    ['dates that went back', { status: 200, body: 'Date,"10 Yr"\n01/02/2026,4.1\n' }, 'refused', 'went_back'],

    ['a number that is no yield', { status: 200, body: 'Date,"10 Yr"\n07/06/2026,449\n' }, 'failed', '449 is no yield'],
    ['another year', { status: 200, body: 'Date,"10 Yr"\n07/06/2025,4.4\n' }, 'failed', 'no date of 2026'],
    [
      'a cut gzip file',
      { status: 200, body: gzipSync('Date,"10 Yr"\n07/06/2026,4.4\n').subarray(0, 30) },
      'failed',
      'gzip file is not complete',
    ],
    ['500', { status: 500, body: 'Internal Server Error' }, 'failed', 'the source answered 500'],
  ])('%s is not published', async (_, answer, outcome, reason) => {
    await bench.run()
    const before = await bench.series(YIELDS, 'US.TREASURY.10Y')
    bench.interfere = () => answer
    bench.nowMs += 86_400_000
    const report = await bench.run()
    expect(report.outcome).toBe(outcome)
    expect(report.reasons.join('\n')).toContain(reason)
    expect(await bench.series(YIELDS, 'US.TREASURY.10Y')).toEqual(before)
    expect((await bench.state()).lastGoodAt).toBe('2026-11-23T12:00:00.000Z')
    // The next good answer is published as if nothing had happened.
    bench.interfere = (_, good) => good
    expect((await bench.run()).outcome).toMatch(/published|unchanged/)
  })

  test('fractions instead of percent are not published', async () => {
    await bench.run()
    const day = '07/06/2026,.0370,.0373,.0381,.0382,.0391,.0398,.0396,.0414,.0416,.0423,.0435,.0449,.0499,.0498'
    bench.interfere = (_, answer) => ({ ...answer, body: String(answer.body).replace('\n', `\n${day}\n`) })
    bench.nowMs += 86_400_000
    const report = await bench.run()
    expect(report.outcome).toBe('refused')
    expect(report.reasons[0]).toMatch(/unit_changed: US\.TREASURY\.\w+ went from 3\.\d+ to 0\.03\d+/)
    expect((await bench.series(YIELDS, 'US.TREASURY.10Y'))['2026-07-06']).toBeUndefined()
  })

  test('a golden value that moved is refused, even in the first run', async () => {
    bench.interfere = (_, answer) => ({
      ...answer,
      body: String(answer.body).replace(
        '08/31/2023,5.52,5.55,5.56,5.61,5.48,5.37,4.85,4.54,4.23,4.19,4.09',
        '08/31/2023,5.52,5.55,5.56,5.61,5.48,5.37,4.85,4.54,4.23,4.19,4.08',
      ),
    })
    const report = await bench.run()
    expect(report.outcome).toBe('refused')
    expect(report.reasons).toEqual([
      'treasury-yields: golden_moved: {"series":"US.TREASURY.10Y","date":"2023-08-31"} is 4.08, not 4.09',
    ])
    expect(await bench.served(YIELDS)).toBeNull()
  })

  test('waits as long as the source asks, then goes on', async () => {
    let refusals = 0
    bench.interfere = (asked, answer) =>
      asked.url.pathname.includes('/2001/') && refusals++ < 2
        ? { status: 429, headers: { 'retry-after': '7' }, body: 'Too Many Requests' }
        : answer
    expect(await bench.run()).toMatchObject({ outcome: 'published' })
    expect(bench.slept).toEqual([7000, 7000])
  })

  test('a long wait stops the run, which names the time and later goes on', async () => {
    bench.interfere = (asked, answer) =>
      asked.url.pathname.includes('/2001/')
        ? { status: 429, headers: { 'retry-after': 'Mon, 23 Nov 2026 13:00:00 GMT' }, body: 'Too Many Requests' }
        : answer
    expect(await bench.run()).toMatchObject({ outcome: 'stopped', retryAt: '2026-11-23T13:00:00.000Z' })
    bench.interfere = (_, answer) => answer
    expect(await bench.run()).toMatchObject({ outcome: 'published', requests: 26 })
  })

  test('slow answers arrive, silent ones end, and broken ones are repeated', async () => {
    const wire = { ...bench.options.wire, timeoutMs: 200 }
    bench.interfere = (asked, answer) => (asked.url.pathname.includes('/2023/') ? { ...answer, pauseMs: 50 } : answer)
    expect((await bench.run({ wire })).outcome).toBe('published')
    expect((await bench.series(YIELDS, 'US.TREASURY.10Y'))['2023-08-31']).toBe(4.09)
    bench.interfere = (_, answer) => ({ ...answer, pauseMs: 1000 })
    expect(await bench.run({ wire })).toMatchObject({
      outcome: 'failed',
      reasons: ['2026: no data for 0.2 s (4 tries)'],
    })
    let tries = 0
    bench.interfere = (_, answer) => (tries++ < 2 ? { ...answer, breaks: true } : answer)
    expect((await bench.run()).outcome).toBe('unchanged')
    expect(tries).toBe(3)
  })
})

describe('ecb', () => {
  let bench: ConnectorBench
  beforeEach(async () => {
    bench = await connectorBench(ecb)
  })
  afterEach(() => bench.close())

  test('publishes the history from the zip, and recent days over it', async () => {
    expect(await bench.run()).toMatchObject({ outcome: 'published', requests: 2 })
    const dollars = await bench.series(RATES, 'ECB.USD')
    expect([dollars['1999-01-04'], dollars['2026-04-13'], dollars['2018-06-11']]).toEqual([1.1789, 1.1684, 1.179])
    // Bulgaria adopted the euro on 1 January 2026.
    expect(
      Object.keys(await bench.series(RATES, 'ECB.BGN'))
        .at(-1)!
        .slice(0, 4),
    ).not.toBe('2026')
  })

  test('sends what it knows, and an unchanged answer is not sent again', async () => {
    await bench.run()
    bench.asked.length = 0
    expect(await bench.run()).toMatchObject({ outcome: 'unchanged', requests: 1, bytes: 0 })
    expect(bench.asked[0]!.headers['if-modified-since']).toBe('Fri, 20 Nov 2026 15:00:00 GMT')
  })

  test.each([
    ['a cut zip', (body: Buffer) => body.subarray(0, body.length / 2), 'the zip file is not complete'],
    [
      'a damaged zip',
      (body: Buffer) => Buffer.concat([body.subarray(0, 900), Buffer.alloc(400), body.subarray(1300)]),
      'damaged',
    ],
    ['XML instead of a zip', () => Buffer.from('<?xml version="1.0"?><Error/>'), 'column Date'],
  ])('%s is not published', async (_, change, reason) => {
    bench.interfere = (asked, answer) =>
      asked.url.pathname.endsWith('.zip') ? { ...answer, body: change(answer.body as Buffer) } : answer
    const report = await bench.run()
    expect(report.outcome).toBe('failed')
    expect(report.reasons[0]).toContain(reason)
    expect(await bench.served(RATES)).toBeNull()
  })

  test('two runs at once are refused', async () => {
    const first = bench.run()
    await expect(bench.run()).rejects.toThrow('ecb is already being fetched')
    expect((await first).outcome).toBe('published')
    expect((await bench.run()).outcome).toBe('unchanged')
  })
})
