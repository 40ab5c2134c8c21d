const powers = Array.from({ length: 24 }, (_, exponent) => 10 ** exponent)
const MOST_DECIMALS = 16

/**
 * A computed price without floating-point noise: at least `decimals` (default four), and more below 10, so that
 * `decimals + 2` significant digits stay (27.99996 is 28, 0.0972220669 is 0.0972221). Keeps the order of prices.
 * Published prices are never rounded.
 */
export function roundPrice(value: number, decimals = 4): number {
  let places = decimals
  for (let size = Math.abs(value); size < 10 && places < MOST_DECIMALS; size *= 10) places += 1
  const power = powers[places]!
  return Math.round(value * power) / power
}
