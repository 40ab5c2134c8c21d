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

/** An indicator with one column. */
const single = (
  params: Indicator['params'],
  compute: (...given: Parameters<Indicator['compute']>) => Float64Array,
  state: Indicator['state'],
): Indicator => ({ params, columns: ['value'], compute: (bars, given) => [compute(bars, given)], state })

const average = (compute: (values: Float64Array, period: number) => Float64Array): Indicator =>
  single(periods(['period', 20]), ({ close }, [n]) => compute(close, n!), aboveBelow)

/** The indicators by name. Formulas and sources are documented at the functions. */
export const indicators = {
  sma: average(sma),
  ema: average(ema),
  wma: average(wma),
  hma: average(hma),
  vwap: single(periods(['period', 20]), (bars, [n]) => vwap(bars, n!), aboveBelow),
  rsi: single(periods(['period', 14]), ({ close }, [n]) => rsi(close, n!), levels(70, 30)),
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
  atr: single(
    periods(['period', 14]),
    (bars, [n]) => atr(bars, n!),
    ([value], close) => (value! > 0.04 * close ? 'wide' : value! < 0.01 * close ? 'narrow' : 'normal'),
  ),
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
  cci: single(periods(['period', 20]), (bars, [n]) => cci(bars, n!), levels(100, -100)),
  mfi: single(periods(['period', 14]), (bars, [n]) => mfi(bars, n!), levels(80, 20)),
  obv: single([], obv, () => 'see_trend'),
  roc: single(periods(['period', 12]), ({ close }, [n]) => roc(close, n!), sign(0)),
  donchian: {
    params: periods(['period', 20]),
    columns: ['upper', 'middle', 'lower'],
    compute: (bars, [n]) => donchian(bars, n!),
    state: band,
  },
  psar: single(
    [factor('step', 0.02), factor('limit', 0.2)],
    (bars, [step, limit]) => parabolic(bars, step!, limit!),
    aboveBelow,
  ),
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
  willr: single(periods(['period', 14]), (bars, [n]) => williamsR(bars, n!), levels(-20, -80)),
} as const satisfies Record<string, Indicator>

export type IndicatorName = keyof typeof indicators
export const indicatorNames = Object.keys(indicators) as [IndicatorName, ...IndicatorName[]]
