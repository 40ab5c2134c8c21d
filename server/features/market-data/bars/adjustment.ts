import type { Adjust } from '../manifest.ts'
import type { BarColumns, BarSeries } from './bar-series.ts'
import { roundPrice } from './round-price.ts'

/** Bars before index `end` (and after the step before) are multiplied by these factors. */
interface Step {
  end: number
  price: number
  volume: number
}

/** How published bars are converted to one adjustment. */
export interface Adjustment {
  /** Bars before this index are not available in this adjustment. */
  firstIndex: number
  /** null: as published. */
  steps: Step[] | null
  /** The publisher's own adjusted close; open, high and low are scaled in proportion. */
  publishedClose: Float64Array | null
}

/** A split (new shares for one old share, else 1) and a dividend (per share held on that day, else 0) on an ex-date. */
export interface Action {
  /** Index and time of the first bar that trades without the right. */
  index: number
  time: number
  split: number
  dividend: number
}

export interface AdjustmentSource {
  /** How many bars there are. */
  count: number
  /** The published close of the bar before an action. */
  closeBefore: (action: Action) => number
  actions: readonly Action[]
  /** The adjustment of the published prices. */
  basis: Adjust
  volumeBasis: 'none' | 'splits'
  /** The publisher's adjusted close, if there is one. */
  publishedClose: Float64Array | null
  /** Index of the first bar for each adjustment that the source can support. */
  firstIndex: Partial<Record<Adjust, number>>
}

/**
 * The adjustments of one symbol.
 *
 * Splits divide earlier prices, and multiply earlier volume, by the product of all later ratios. A dividend D multiplies
 * earlier prices by 1 - D / C, C being the close before the ex-date, in shares of the ex-date (CRSP method, as Yahoo and
 * others use it). Where prices are published fully adjusted, C is not known but follows from them: adjusted close before
 * = g (C - D), g being the factor of the ex-date, so C = adjusted / g + D. Where the publisher gives an adjusted close,
 * that is used instead of the formula.
 */
export function makeAdjustments(source: AdjustmentSource): Partial<Record<Adjust, Adjustment>> {
  const adjustments: Partial<Record<Adjust, Adjustment>> = {}
  const spans = factorSpans(source)
  for (const [adjust, firstIndex] of Object.entries(source.firstIndex) as [Adjust, number][]) {
    const publishedClose = adjust === 'all' && source.basis !== 'all' ? source.publishedClose : null
    const steps = spans.map(({ end, splits, dividends }) => ({
      end,
      price: publishedClose ? 1 : priceFactor(adjust, splits, dividends) / priceFactor(source.basis, splits, dividends),
      volume: volumeFactor(adjust, splits) / volumeFactor(source.volumeBasis, splits),
    }))
    const plain = !publishedClose && steps.every(({ price, volume }) => price === 1 && volume === 1)
    adjustments[adjust] = { firstIndex, steps: plain ? null : steps, publishedClose }
  }
  return adjustments
}

const priceFactor = (adjust: Adjust, splits: number, dividends: number) =>
  adjust === 'none' ? 1 : adjust === 'splits' ? 1 / splits : dividends / splits
const volumeFactor = (adjust: Adjust, splits: number) => (adjust === 'none' ? 1 : splits)

interface Span {
  end: number
  /** Product of the ratios of all later splits. */
  splits: number
  /** Product of 1 - D / C over all later dividends. */
  dividends: number
}

/** Spans of bars between ex-dates, oldest first, with the factors from raw prices that hold in each. */
function factorSpans({ count, closeBefore: closeOf, actions, basis }: AdjustmentSource): Span[] {
  const spans: Span[] = [{ end: count, splits: 1, dividends: 1 }]
  for (const action of actions.toReversed()) {
    const { index, split, dividend } = action
    const after = spans[0]!
    if (index === 0) continue
    const published = closeOf(action)
    const splits = after.splits * split
    const closeBefore =
      basis === 'all'
        ? (published * after.splits) / after.dividends + dividend
        : basis === 'splits'
          ? published * after.splits
          : published / split
    spans.unshift({ end: index, splits, dividends: after.dividends * (1 - dividend / closeBefore) })
  }
  return spans
}

/**
 * Bars `start` to `end` (exclusive) in one adjustment. Where nothing has to be computed, these are views of the store:
 * do not write to them.
 */
export function adjustedBars(series: BarSeries, adjustment: Adjustment, start: number, end: number): BarColumns {
  const bars = series.columns(start, end)
  if (!adjustment.steps) return bars
  const published = adjustment.publishedClose?.subarray(start, end)
  const size = end - start
  const adjusted: BarColumns = {
    times: bars.times,
    open: new Float64Array(size),
    high: new Float64Array(size),
    low: new Float64Array(size),
    close: new Float64Array(size),
    volume: new Float64Array(size),
  }
  const { steps } = adjustment
  // With coarser rounding than the published close, a high that equals the close would fall below it.
  const decimals = published ? 5 : 4
  let step = 0
  for (let i = 0; i < size; i++) {
    while (start + i >= steps[step]!.end) step += 1
    const { price, volume } = steps[step]!
    const close = bars.close[i]!
    const factor = published ? published[i]! / close : price
    adjusted.open[i] = factor === 1 ? bars.open[i]! : roundPrice(bars.open[i]! * factor, decimals)
    adjusted.high[i] = factor === 1 ? bars.high[i]! : roundPrice(bars.high[i]! * factor, decimals)
    adjusted.low[i] = factor === 1 ? bars.low[i]! : roundPrice(bars.low[i]! * factor, decimals)
    adjusted.close[i] = published ? published[i]! : factor === 1 ? close : roundPrice(close * factor, decimals)
    adjusted.volume[i] = volume === 1 ? bars.volume[i]! : Math.round(bars.volume[i]! * volume)
  }
  return adjusted
}
