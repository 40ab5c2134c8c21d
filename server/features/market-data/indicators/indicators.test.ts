import * as reference from 'trading-signals'
import { describe, expect, test } from 'vitest'
import { adjustedBars } from '../bars/adjustment.ts'
import type { BarColumns } from '../bars/bar-series.ts'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'
import { type Indicator, type IndicatorName, indicatorNames, indicators } from './catalog.ts'

const market = await loadDemoMarket()
const { series } = market.catalog.find('MSFT')!
const bars = adjustedBars(series, series.adjustments.splits!, 4000, 6000)

const ours = (name: IndicatorName, given: BarColumns, params?: number[]) => {
  const indicator: Indicator = indicators[name]
  return indicator.compute(given, params ?? indicator.params.map((param) => param.default))
}

const candles = ({ open, high, low, close, volume }: BarColumns) =>
  [...close].map((_, i) => ({ open: open[i]!, high: high[i]!, low: low[i]!, close: close[i]!, volume: volume[i]! }))

interface Streaming<Input, Output> {
  update: (input: Input, replace: boolean) => Output | null | undefined
}
/** The values of an independent implementation for every bar; null until it is ready. */
const theirs = <Input, Output>(indicator: Streaming<Input, Output>, inputs: readonly Input[]) =>
  inputs.map((input) => indicator.update(input, false) ?? null)

/** Maximum difference from the reference, relative to its values, where both exist, in the last `count` bars. */
function distance(own: Float64Array, other: readonly (number | null)[], count = own.length) {
  let worst = 0
  let compared = 0
  const size = Math.max(...other.map((value) => Math.abs(value ?? 0)))
  for (let i = own.length - count; i < own.length; i++) {
    if (other[i] === null || other[i] === undefined || Number.isNaN(own[i])) continue
    compared += 1
    worst = Math.max(worst, Math.abs(own[i]! - other[i]!) / size)
  }
  return { worst, compared }
}

const EXACT = 1e-9
const closes = () => [...bars.close]

describe('against trading-signals, from the first value on', () => {
  test.each([
    ['sma', () => theirs(new reference.SMA(20), closes()), 0],
    ['wma', () => theirs(new reference.WMA(20), closes()), 0],
    ['hma', () => theirs(new reference.HMA(20), closes()), 0],
    ['rsi', () => theirs(new reference.RSI(14), closes()), 0],
    ['cci', () => theirs(new reference.CCI(20), candles(bars)), 0],
    ['mfi', () => theirs(new reference.MFI(14), candles(bars)), 0],
    ['willr', () => theirs(new reference.WilliamsR(14), candles(bars)), 0],
    ['roc', () => theirs(new reference.ROC(12), closes()).map((value) => (value === null ? null : 100 * value)), 0],
    ['bbands', () => theirs(new reference.BollingerBands(20, 2), closes()).map((value) => value?.upper ?? null), 0],
    ['bbands', () => theirs(new reference.BollingerBands(20, 2), closes()).map((value) => value?.lower ?? null), 2],
    [
      'donchian',
      () => theirs(new reference.DonchianChannels(20), candles(bars)).map((value) => value?.upper ?? null),
      0,
    ],
    [
      'donchian',
      () => theirs(new reference.DonchianChannels(20), candles(bars)).map((value) => value?.lower ?? null),
      2,
    ],
    // The reference ignores the volume of the first bar.
    ['obv', () => theirs(new reference.OBV(2), candles(bars)).map((value) => (value ?? 0) + bars.volume[0]!), 0],
    ['aroon', () => theirs(new reference.Aroon(25), candles(bars)).map((value) => value?.aroonUp ?? null), 0],
    ['aroon', () => theirs(new reference.Aroon(25), candles(bars)).map((value) => value?.aroonDown ?? null), 1],
    ['stoch', () => stochastic().map((value) => value?.stochK ?? null), 0],
    ['stoch', () => stochastic().map((value) => value?.stochD ?? null), 1],
  ] as [IndicatorName, () => (number | null)[], number][])('%s, column %#', (name, compute, column) => {
    const { worst, compared } = distance(ours(name, bars)[column]!, compute())
    expect(compared).toBeGreaterThan(1900)
    expect(worst).toBeLessThan(EXACT)
  })

  const stochastic = () =>
    theirs(new reference.StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 }), candles(bars))
})

/** The reference seeds its averages with the first value, an effect that fades. */
describe('against trading-signals, once its seed has faded', () => {
  test.each([
    ['ema', () => theirs(new reference.EMA(20), closes()), 0],
    ['macd', () => macd().map((value) => value?.macd ?? null), 0],
    ['macd', () => macd().map((value) => value?.signal ?? null), 1],
    ['atr', () => theirs(new reference.ATR(14), candles(bars)), 0],
    ['adx', () => theirs(new reference.ADX(14), candles(bars)), 0],
    ['keltner', () => theirs(new reference.KeltnerChannels(), candles(bars)).map((value) => value?.upper ?? null), 0],
    ['keltner', () => theirs(new reference.KeltnerChannels(), candles(bars)).map((value) => value?.lower ?? null), 2],
  ] as [IndicatorName, () => (number | null)[], number][])('%s, column %#', (name, compute, column) => {
    const { worst, compared } = distance(ours(name, bars)[column]!, compute(), 500)
    expect(compared).toBe(500)
    expect(worst).toBeLessThan(EXACT)
  })

  const macd = () =>
    theirs(new reference.MACD(new reference.EMA(12), new reference.EMA(26), new reference.EMA(9)), closes())
})

const plain = (close: number[]): BarColumns => ({
  times: Int32Array.from(close, (_, i) => i),
  open: Float64Array.from(close),
  high: Float64Array.from(close),
  low: Float64Array.from(close),
  close: Float64Array.from(close),
  volume: new Float64Array(close.length).fill(1),
})

describe('published worked examples', () => {
  test('RSI 14 of StockCharts ChartSchool', () => {
    const close = [
      44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931, 46.0328,
      45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439,
    ]
    const [values] = ours('rsi', plain(close), [14])
    expect([...values!.subarray(0, 14)].every(Number.isNaN)).toBe(true)
    expect([...values!.subarray(14)].map((value) => Number(value.toFixed(2)))).toEqual([
      70.53, 66.32, 66.55, 69.41, 66.36, 57.97,
    ])
  })

  test('EMA 10 of StockCharts ChartSchool, seeded by the simple average', () => {
    const close = [
      22.2734, 22.194, 22.0847, 22.1741, 22.184, 22.1344, 22.2337, 22.4323, 22.2436, 22.2933, 22.1542, 22.3926, 22.3816,
      22.6109, 23.3558,
    ]
    const [values] = ours('ema', plain(close), [10])
    expect([...values!.subarray(9)].map((value) => Number(value.toFixed(3)))).toEqual([
      22.225, 22.212, 22.245, 22.27, 22.332, 22.518,
    ])
  })
})

/** From J. Welles Wilder, New Concepts in Technical Trading Systems (1978), as used in TA-Lib's own test. */
test("the parabolic stop, as in Wilder's book", () => {
  const high = [
    51.12, 52.35, 52.1, 51.8, 52.1, 52.5, 52.8, 52.5, 53.5, 53.5, 53.8, 54.2, 53.4, 53.5, 54.4, 55.2, 55.7, 57, 57.5,
    58, 57.7, 58, 57.5, 57, 56.7, 57.5, 56.7, 56, 56.2, 54.8, 55.5, 54.7, 54, 52.5, 51, 51.5, 51.7, 53,
  ]
  const low = [
    50, 51.5, 51, 50.5, 51.25, 51.7, 51.85, 51.5, 52.3, 52.5, 53, 53.5, 52.5, 52.1, 53, 54, 55, 56, 56.5, 57, 56.5,
    57.3, 56.7, 56.3, 56.2, 56, 55.5, 55, 54.9, 54, 54.5, 53.8, 53, 51.5, 50, 50.5, 50.2, 51.5,
  ]
  const given = { ...plain(high), low: Float64Array.from(low) }
  const [stop] = ours('psar', given, [0.02, 0.2])
  expect([1, 2, 5, 36, 37].map((at) => stop![at])).toEqual([
    50,
    expect.closeTo(50.047, 3),
    expect.closeTo(50.182, 3),
    expect.closeTo(52.93, 2),
    50,
  ])
})

/** Five to eight bars, worked by hand. */
describe('computed by hand', () => {
  const small: BarColumns = {
    times: Int32Array.of(0, 1, 2, 3, 4, 5),
    open: Float64Array.of(10, 11, 12, 11, 13, 12),
    high: Float64Array.of(11, 12, 13, 12, 14, 13),
    low: Float64Array.of(9, 10, 11, 10, 12, 8),
    close: Float64Array.of(10, 11, 12, 11, 13, 9),
    volume: Float64Array.of(100, 200, 300, 400, 500, 600),
  }

  test('OBV adds volume on rising and takes it away on falling closes', () => {
    expect([...ours('obv', small)[0]!]).toEqual([100, 300, 600, 200, 700, 100])
  })

  test('VWAP weighs typical prices by volume', () => {
    // Typical prices 10, 11, 12, 11, 13, 10.
    const [values] = ours('vwap', small, [3])
    expect(values![2]).toBeCloseTo((10 * 100 + 11 * 200 + 12 * 300) / 600, 12)
    expect(values![5]).toBeCloseTo((11 * 400 + 13 * 500 + 10 * 600) / 1500, 12)
    expect(Number.isNaN(values![1]!)).toBe(true)
  })

  test('Aroon counts bars since the latest extreme', () => {
    const [up, down, oscillator] = ours('aroon', small, [4])
    // Bar 5, window 1 to 5: highest at 4 (one ago), lowest at 5 (none ago).
    expect([up![5], down![5], oscillator![5]]).toEqual([75, 100, -25])
    // Bar 4, window 0 to 4: highest at 4, lowest at 0.
    expect([up![4], down![4]]).toEqual([100, 0])
  })

  test('Keltner is the EMA and twice the average true range', () => {
    const [upper, middle, lower] = ours('keltner', small, [3, 2, 2])
    // True ranges 2, 2, 2, 3, 5: ATR(2) 2, 2, 2.5, 3.75; EMA(3) 11, 11, 12, 10.5.
    expect([...middle!.subarray(2)]).toEqual([11, 11, 12, 10.5])
    expect([...upper!.subarray(2)]).toEqual([15, 15, 17, 18])
    expect([...lower!.subarray(2)]).toEqual([7, 7, 7, 3])
  })

  test('parabolic stop follows, accelerates at new highs, and reverses when touched', () => {
    const [stop] = ours('psar', small, [0.02, 0.2])
    // Rising start: stop at the low of bar 0, extreme 12; then 9 + 0.02 (12 - 9), below the low of bar 1.
    expect(stop![1]).toBe(9)
    expect(stop![2]).toBeCloseTo(9.06, 12)
    // After the new high of 13, the stop moves 0.04 of the way from 9.06 to 13.
    expect(stop![3]).toBeCloseTo(9.2176, 12)
    expect(stop![4]).toBeCloseTo(9.2176 + 0.04 * (13 - 9.2176), 12)
    // Bar 5 falls to 8, below the stop: it reverses, and the stop is the extreme, 14.
    expect(stop![5]).toBe(14)
  })
})

describe('every indicator', () => {
  test.each(indicatorNames)('%s: columns of equal length, NaN only before its start, finite on flat prices', (name) => {
    const flat: BarColumns = { ...plain(new Array(120).fill(5)) }
    for (const [given, isFlat] of [
      [bars, false],
      [flat, true],
    ] as const) {
      for (const column of ours(name, given)) {
        expect(column.length).toBe(given.close.length)
        const first = column.findIndex((value) => !Number.isNaN(value))
        expect(first).toBeGreaterThanOrEqual(0)
        expect(first).toBeLessThan(60)
        expect([...column.subarray(first)].every(Number.isFinite)).toBe(true)
        if (isFlat) expect(Math.abs(column.at(-1)!)).toBeLessThan(1000)
      }
    }
  })

  test.each(indicatorNames)('%s of the past does not change when bars are added', (name) => {
    const cut = (end: number): BarColumns => ({
      times: bars.times.subarray(0, end),
      open: bars.open.subarray(0, end),
      high: bars.high.subarray(0, end),
      low: bars.low.subarray(0, end),
      close: bars.close.subarray(0, end),
      volume: bars.volume.subarray(0, end),
    })
    const short = ours(name, cut(300))
    const long = ours(name, cut(301))
    for (const [at, column] of short.entries()) expect([...long[at]!.subarray(0, 300)]).toEqual([...column])
  })

  test.each(indicatorNames)('%s of fewer bars than it needs is null, not an error', async (name) => {
    const { rows, meta } = await runMarketTool(market, 'compute_indicator', {
      symbol: 'AAPL',
      indicator: name,
      to: '1980-12-12',
    })
    expect(rows).toHaveLength(1)
    expect(meta.row_count).toBe(1)
  })
})

describe('compute_indicator', () => {
  test('answers the newest bars with values, parameters and a state', async () => {
    const { columns, rows, meta } = await runMarketTool(market, 'compute_indicator', {
      symbol: 'SPX',
      indicator: 'macd',
    })
    expect(columns).toEqual(['date', 'close', 'macd', 'signal', 'histogram'])
    expect(rows).toHaveLength(30)
    expect(rows.at(-1)?.[0]).toBe('2020-04-17')
    expect(meta).toMatchObject({ params: { fast: 12, slow: 26, signal: 9 }, state: 'rising' })
  })

  test('is computed on all history: `last` and `to` change no value', async () => {
    const all = await runMarketTool(market, 'compute_indicator', { symbol: 'GE', indicator: 'ema', last: 10_000 })
    const one = await runMarketTool(market, 'compute_indicator', {
      symbol: 'GE',
      indicator: 'ema',
      last: 1,
      to: '2000-01-03',
    })
    expect(all.rows.find(([date]) => date === '2000-01-03')).toEqual(one.rows[0])
  })

  test.each([
    [{ indicator: 'rsi', params: [0] }, /period must be a whole number from 1 to 1000/],
    [{ indicator: 'rsi', params: [14, 2] }, /2 values are too many. rsi takes, in order: period \(14\)/],
    [{ indicator: 'macd', params: [26, 12] }, /fast must be shorter than slow/],
    [{ indicator: 'bbands', params: [20, -1] }, /width must be above 0/],
    [{ indicator: 'obv', params: [1] }, /too many. obv takes, in order: none/],
  ])('%j is refused', async (input, message) => {
    await expect(runMarketTool(market, 'compute_indicator', { symbol: 'GE', ...input })).rejects.toThrow(message)
  })
})
