/** The least that a month of pay-as-you-go costs, in cents. */
export const PAYG_MINIMUM_CENTS = 100

/** What a period of pay-as-you-go costs, in whole cents. */
export interface PaygAmount {
  /** Units times price, rounded half up once. */
  usageCents: number
  /** What is missing to the minimum. */
  minimumCents: number
}

const SCALE = 12

/** `unitAmountDecimal`: cents of one unit as a decimal text of at most twelve places, such as '0.01'. */
export function paygAmount(units: number, unitAmountDecimal: string): PaygAmount {
  const [whole = '0', fraction = ''] = unitAmountDecimal.split('.')
  const price = BigInt(whole + fraction.padEnd(SCALE, '0').slice(0, SCALE))
  const one = 10n ** BigInt(SCALE)
  const usageCents = Number((BigInt(units) * price * 2n + one) / (one * 2n))
  return { usageCents, minimumCents: Math.max(0, PAYG_MINIMUM_CENTS - usageCents) }
}
