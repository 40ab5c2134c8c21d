const ROOT_TWO_PI = Math.sqrt(2 * Math.PI)

/** Density of the standard normal distribution. */
export const density = (x: number): number => Math.exp((-x * x) / 2) / ROOT_TWO_PI

/**
 * Standard normal distribution function, about 15 digits (G. West, "Better approximations to cumulative normal
 * functions", 2005, after J. F. Hart 1968).
 */
export function distribution(x: number): number {
  const distance = Math.abs(x)
  let tail = 0
  if (distance <= 37) {
    const exponential = Math.exp((-distance * distance) / 2)
    if (distance < 7.07106781186547) {
      const above = polynomial(
        distance,
        [
          3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931,
          220.206867912376,
        ],
      )
      const below = polynomial(
        distance,
        [
          8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
          793.826512519948, 440.413735824752,
        ],
      )
      tail = (exponential * above) / below
    } else {
      let fraction = distance + 0.65
      for (const term of [4, 3, 2, 1]) fraction = distance + term / fraction
      tail = exponential / fraction / ROOT_TWO_PI
    }
  }
  return x > 0 ? 1 - tail : tail
}

const polynomial = (x: number, coefficients: readonly number[]): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
