/** Simple returns between successive closes; one shorter than the closes. */
export const simpleReturns = (closes: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: Math.max(0, closes.length - 1) }, (_, i) => closes[i + 1]! / closes[i]! - 1)

export function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum / values.length
}

/** Sample covariance (n - 1); NaN below two values. */
export function covariance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [meanA, meanB] = [mean(a), mean(b)]
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - meanA) * (b[i]! - meanB)
  return a.length < 2 ? Number.NaN : sum / (a.length - 1)
}

/** Sample standard deviation (n - 1). */
export const standardDeviation = (values: ArrayLike<number>): number => Math.sqrt(covariance(values, values))

/** Pearson's correlation; null if one series never changes. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const result = covariance(a, b) / (standardDeviation(a) * standardDeviation(b))
  return Number.isFinite(result) ? result : null
}

/**
 * Slope of the regression of returns on the benchmark's: covariance / variance of the benchmark; null if that variance
 * is 0.
 */
export function beta(returns: ArrayLike<number>, benchmark: ArrayLike<number>): number | null {
  const result = covariance(returns, benchmark) / covariance(benchmark, benchmark)
  return Number.isFinite(result) ? result : null
}

const DAYS_PER_YEAR = 365.25

/**
 * Annual compound growth from first to last value over calendar time; null below about a month, where it is
 * meaningless.
 */
export function annualGrowth(first: number, last: number, days: number): number | null {
  return days < 28 ? null : (last / first) ** (DAYS_PER_YEAR / days) - 1
}

/** The maximum drawdown as a negative fraction, with the indices of peak and trough; 0 if values never fall. */
export function maxDrawdown(values: ArrayLike<number>): { drawdown: number; peak: number; trough: number } {
  let worst = { drawdown: 0, peak: 0, trough: 0 }
  let peak = 0
  for (let i = 0; i < values.length; i++) {
    if (values[i]! > values[peak]!) peak = i
    const drawdown = values[i]! / values[peak]! - 1
    if (drawdown < worst.drawdown) worst = { drawdown, peak, trough: i }
  }
  return worst
}

/**
 * Mean excess return over its standard deviation, per year (W. Sharpe 1994). `riskFree` is per period. null without
 * deviation.
 */
export function sharpeRatio(returns: ArrayLike<number>, periodsPerYear: number, riskFree = 0): number | null {
  const result = ((mean(returns) - riskFree) / standardDeviation(returns)) * Math.sqrt(periodsPerYear)
  return Number.isFinite(result) ? result : null
}

/**
 * Mean excess return over the root mean square of the shortfalls below `riskFree`, per year (F. Sortino). null without
 * shortfall.
 */
export function sortinoRatio(returns: ArrayLike<number>, periodsPerYear: number, riskFree = 0): number | null {
  let squares = 0
  for (let i = 0; i < returns.length; i++) squares += Math.min(0, returns[i]! - riskFree) ** 2
  const result = ((mean(returns) - riskFree) / Math.sqrt(squares / returns.length)) * Math.sqrt(periodsPerYear)
  return Number.isFinite(result) ? result : null
}

/**
 * Historical value at risk and expected shortfall of one period, as positive fractions lost: the loss at the
 * `level` quantile (linear between order statistics, Hyndman-Fan type 7), and the mean of the losses at least as great.
 */
export function valueAtRisk(returns: ArrayLike<number>, level = 0.95): { var: number; shortfall: number } {
  const sorted = Float64Array.from(returns).sort()
  const at = (1 - level) * (sorted.length - 1)
  const low = Math.floor(at)
  const quantile = sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!)
  const tail = sorted.filter((value) => value <= quantile)
  return { var: Math.max(0, -quantile), shortfall: Math.max(0, -mean(tail.length > 0 ? tail : [quantile])) }
}

/** `value` rounded to `decimals`; null stays null, and non-finite numbers become null. */
export function rounded(value: number | null, decimals: number): number | null {
  if (value === null || !Number.isFinite(value)) return null
  const power = 10 ** decimals
  return Math.round(value * power) / power
}
