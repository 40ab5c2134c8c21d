import { civil } from '../dates.ts'

export const rebalances = ['none', 'monthly', 'quarterly', 'yearly'] as const
export type Rebalance = (typeof rebalances)[number]

const monthsOf = { monthly: 1, quarterly: 3, yearly: 12 } as const

export interface PortfolioPath {
  /** Value of the portfolio at each time, starting at 1. */
  values: Float64Array
  /** Each holding's contribution to the total return; they sum to it. */
  contributions: number[]
}

/**
 * The value of 1 unit of money in holdings with these weights (they sum to 1; negative is short, the rest is cash
 * without interest), bought at the first close. `rebalance` restores the weights at the last close of each calendar
 * period; `none` lets them drift. No costs.
 */
export function portfolioPath(
  times: Int32Array,
  closes: readonly Float64Array[],
  weights: readonly number[],
  rebalance: Rebalance,
): PortfolioPath {
  const values = new Float64Array(times.length)
  const contributions = weights.map(() => 0)
  const cash = 1 - weights.reduce((sum, weight) => sum + weight, 0)
  let base = 1
  let bought = 0
  for (let i = 0; i < times.length; i++) {
    let value = base * cash
    for (let h = 0; h < weights.length; h++) value += base * weights[h]! * (closes[h]![i]! / closes[h]![bought]!)
    values[i] = value
    const last = i === times.length - 1
    if (last || (i > 0 && isNewPeriod(times[i]!, times[i + 1]!, rebalance))) {
      for (let h = 0; h < weights.length; h++)
        contributions[h]! += base * weights[h]! * (closes[h]![i]! / closes[h]![bought]! - 1)
      base = value
      bought = i
    }
  }
  return { values, contributions }
}

/** Rebalancing happens at a period's last close, so that the next period starts with the target weights. */
function isNewPeriod(day: number, next: number, rebalance: Rebalance): boolean {
  if (rebalance === 'none') return false
  const [a, b] = [civil(day), civil(next)]
  const months = monthsOf[rebalance]
  return Math.floor((a.year * 12 + a.month - 1) / months) !== Math.floor((b.year * 12 + b.month - 1) / months)
}
