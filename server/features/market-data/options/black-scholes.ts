import { density, distribution } from './normal.ts'

/**
 * A European option. Time in years; rate, dividend yield and volatility per year, continuously compounded, as
 * fractions.
 */
export interface Option {
  type: 'call' | 'put'
  spot: number
  strike: number
  years: number
  rate: number
  dividendYield: number
  volatility: number
}

export interface Valuation {
  price: number
  /** Change in price when spot rises by 1. */
  delta: number
  /** Change in delta when spot rises by 1. */
  gamma: number
  /** Change in price when volatility rises by 1 (100 points). */
  vega: number
  /** Change in price with one year less to expiry. */
  theta: number
  /** Change in price when the rate rises by 1 (100 points). */
  rho: number
}

/** Price and Greeks by Black, Scholes (1973) and Merton (1973, continuous dividend yield). Needs years, volatility, spot and strike above 0. */
export function blackScholes({ type, spot, strike, years, rate, dividendYield, volatility }: Option): Valuation {
  const sign = type === 'call' ? 1 : -1
  const deviation = volatility * Math.sqrt(years)
  const d1 = (Math.log(spot / strike) + (rate - dividendYield + volatility ** 2 / 2) * years) / deviation
  const d2 = d1 - deviation
  const spotFactor = Math.exp(-dividendYield * years)
  const strikeFactor = Math.exp(-rate * years)
  const inSpot = distribution(sign * d1)
  const inStrike = distribution(sign * d2)
  return {
    price: sign * (spot * spotFactor * inSpot - strike * strikeFactor * inStrike),
    delta: sign * spotFactor * inSpot,
    gamma: (spotFactor * density(d1)) / (spot * deviation),
    vega: spot * spotFactor * density(d1) * Math.sqrt(years),
    theta:
      (-spot * spotFactor * density(d1) * volatility) / (2 * Math.sqrt(years)) +
      sign * (dividendYield * spot * spotFactor * inSpot - rate * strike * strikeFactor * inStrike),
    rho: sign * strike * years * strikeFactor * inStrike,
  }
}

/** The lowest and highest price that allow no arbitrage. */
export function priceBounds(option: Omit<Option, 'volatility'>): { least: number; most: number } {
  const spot = option.spot * Math.exp(-option.dividendYield * option.years)
  const strike = option.strike * Math.exp(-option.rate * option.years)
  return option.type === 'call'
    ? { least: Math.max(0, spot - strike), most: spot }
    : { least: Math.max(0, strike - spot), most: strike }
}

const MOST_VOLATILITY = 10
const STEPS = 200
const TOLERANCE = 1e-12

/**
 * The volatility at which the model gives `price`: Newton steps inside a bracket, which is halved when a step leaves
 * it, until a step is below 1e-12 or the price matches to its last digits. The precision depends only on the price:
 * rounding the price by e changes the volatility by e / vega. null when no volatility up to 1,000 % gives the price (it
 * is outside the no-arbitrage bounds).
 */
export function impliedVolatility(option: Omit<Option, 'volatility'>, price: number): number | null {
  const { least, most } = priceBounds(option)
  if (!(price > least && price < most)) return null
  let [low, high] = [1e-9, MOST_VOLATILITY]
  if (blackScholes({ ...option, volatility: high }).price < price) return null
  let volatility = Math.min(1, Math.sqrt((2 * Math.PI) / option.years) * (price / option.spot))
  for (let step = 0; step < STEPS; step++) {
    const { price: value, vega } = blackScholes({ ...option, volatility })
    const error = value - price
    if (Math.abs(error) <= Math.max(TOLERANCE * vega, Number.EPSILON * price) || high - low < 1e-14) return volatility
    if (error > 0) high = volatility
    else low = volatility
    const newton = volatility - error / vega
    volatility = newton > low && newton < high ? newton : (low + high) / 2
  }
  return volatility
}
