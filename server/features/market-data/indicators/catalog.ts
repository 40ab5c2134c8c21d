import type { BarColumns } from '../bars/bar-series.ts'
import { ema, hma, sma, wma } from './averages.ts'
import { aroon, cci, macd, mfi, roc, rsi, stochastic, williamsR } from './oscillators.ts'
import { adx, atr, bollinger, donchian, keltner, obv, parabolic, vwap } from './ranges.ts'

/** One indicator: its parameters in order, its columns, how to compute them, and the one-word state of the last bar. */
export interface Indicator {
  params: readonly { name: string; default: number; whole: boolean }[]
  columns: readonly string[]
  compute: (bars: BarColumns, params: readonly number[]) => Float64Array[]
  /** `values` are the columns of the last bar, all numbers. */
  state: (values: readonly number[], close: number) => string
}

const periods = (...given: [name: string, value: number][]) =>
  given.map(([name, value]) => ({ name, default: value, whole: true }))
const factor = (name: string, value: number) => ({ name, default: value, whole: false })

const levels = (high: number, low: number) => (values: readonly number[]) =>
  values[0]! >= high ? 'overbought' : values[0]! <= low ? 'oversold' : 'neutral'
const aboveBelow = (values: readonly number[], close: number) =>
  close > values[0]! ? 'above' : close < values[0]! ? 'below' : 'at'
const sign = (at: number) => (values: readonly number[]) =>
  values[at]! > 0 ? 'rising' : values[at]! < 0 ? 'falling' : 'flat'
const band = ([upper, , lower]: readonly number[], close: number) =>
  close >= upper! ? 'upper' : close <= lower! ? 'lower' : 'inside'

const average = (compute: (values: Float64Array, period: number) => Float64Array, period: number): Indicator => ({
  params: periods(['period', period]),
  columns: ['value'],
  compute: ({ close }, [n]) => [compute(close, n!)],
  state: aboveBelow,
})

/** The indicators by name. Formulas and sources are documented at the functions. */
export const indicators = {
  sma: average(sma, 20),
  ema: average(ema, 20),
  wma: average(wma, 20),
  hma: average(hma, 20),
  vwap: {
    params: periods(['period', 20]),
    columns: ['value'],
    compute: (bars, [n]) => [vwap(bars, n!)],
    state: aboveBelow,
  },
  rsi: {
    params: periods(['period', 14]),
    columns: ['value'],
    compute: ({ close }, [n]) => [rsi(close, n!)],
    state: levels(70, 30),
  },
  macd: {
    params: periods(['fast', 12], ['slow', 26], ['signal', 9]),
    columns: ['macd', 'signal', 'histogram'],
    compute: ({ close }, [fast, slow, signal]) => macd(close, fast!, slow!, signal!),
    state: sign(2),
  },
  bbands: {
    params: [...periods(['period', 20]), factor('width', 2)],
    columns: ['upper', 'middle', 'lower'],
    compute: ({ close }, [n, width]) => bollinger(close, n!, width!),
    state: band,
  },
  atr: {
    params: periods(['period', 14]),
    columns: ['value'],
    compute: (bars, [n]) => [atr(bars, n!)],
    state: ([value], close) => (value! > 0.04 * close ? 'wide' : value! < 0.01 * close ? 'narrow' : 'normal'),
  },
  adx: {
    params: periods(['period', 14]),
    columns: ['adx', 'plus_di', 'minus_di'],
    compute: (bars, [n]) => adx(bars, n!),
    state: ([value, plus, minus]) => (value! < 25 ? 'no_trend' : plus! > minus! ? 'uptrend' : 'downtrend'),
  },
  stoch: {
    params: periods(['period', 14], ['slowing', 3], ['signal', 3]),
    columns: ['k', 'd'],
    compute: (bars, [n, slowing, signal]) => stochastic(bars, n!, slowing!, signal!),
    state: levels(80, 20),
  },
  cci: {
    params: periods(['period', 20]),
    columns: ['value'],
    compute: (bars, [n]) => [cci(bars, n!)],
    state: levels(100, -100),
  },
  mfi: {
    params: periods(['period', 14]),
    columns: ['value'],
    compute: (bars, [n]) => [mfi(bars, n!)],
    state: levels(80, 20),
  },
  obv: { params: [], columns: ['value'], compute: (bars) => [obv(bars)], state: () => 'see_trend' },
  roc: {
    params: periods(['period', 12]),
    columns: ['value'],
    compute: ({ close }, [n]) => [roc(close, n!)],
    state: sign(0),
  },
  donchian: {
    params: periods(['period', 20]),
    columns: ['upper', 'middle', 'lower'],
    compute: (bars, [n]) => donchian(bars, n!),
    state: band,
  },
  psar: {
    params: [factor('step', 0.02), factor('limit', 0.2)],
    columns: ['value'],
    compute: (bars, [step, limit]) => [parabolic(bars, step!, limit!)],
    state: aboveBelow,
  },
  aroon: {
    params: periods(['period', 25]),
    columns: ['up', 'down', 'oscillator'],
    compute: (bars, [n]) => aroon(bars, n!),
    state: sign(2),
  },
  keltner: {
    params: [...periods(['period', 20], ['atr_period', 10]), factor('width', 2)],
    columns: ['upper', 'middle', 'lower'],
    compute: (bars, [n, range, width]) => keltner(bars, n!, range!, width!),
    state: band,
  },
  willr: {
    params: periods(['period', 14]),
    columns: ['value'],
    compute: (bars, [n]) => [williamsR(bars, n!)],
    state: levels(-20, -80),
  },
} as const satisfies Record<string, Indicator>

export type IndicatorName = keyof typeof indicators
export const indicatorNames = Object.keys(indicators) as [IndicatorName, ...IndicatorName[]]
