/** The monthly minimum of pay-as-you-go in its price's own currency, unless the product names another; in cents. */
export const PAYG_MINIMUM_CENTS = 100

/** The cost of a pay-as-you-go period, in whole cents. */
export interface PaygAmount {
  /** Units times price, rounded half up once. */
  usageCents: number
  /** The difference to the minimum, or 0. */
  minimumCents: number
}

const SCALE = 12

/**
 * `unitAmountDecimal`: cents per unit as a decimal string of at most twelve places, such as '0.01'. `least`: the minimum; `step`: what the currency's
 * amounts are whole numbers of. */
export function paygAmount(
  units: number,
  unitAmountDecimal: string,
  { least = PAYG_MINIMUM_CENTS, step = 1 } = {},
): PaygAmount {
  const [whole = '0', fraction = ''] = unitAmountDecimal.split('.')
  const price = BigInt(whole + fraction.padEnd(SCALE, '0').slice(0, SCALE))
  const one = 10n ** BigInt(SCALE) * BigInt(step)
  const usageCents = Number((BigInt(units) * price * 2n + one) / (one * 2n)) * step
  return { usageCents, minimumCents: Math.max(0, least - usageCents) }
}
