import type { Credited } from '../stripe/credit-notes.ts'

interface Returned {
  /** What was paid, and the tax in it. */
  cents: number
  tax: number
  /** What went back by now. */
  returned: number
  credited: Pick<Credited, 'cents' | 'taxCents'> | null
}

/**
 * The tax in money that went back: what credit notes say, and of the rest the same share as of the payment, rounded half up. All of it
 * takes all of the tax, in however many parts.
 */
export function taxOfReturn({ cents, tax, returned, credited }: Returned): number {
  // A refund that failed later leaves its credit note behind.
  const noted = credited && credited.cents <= returned ? credited : { cents: 0, taxCents: 0 }
  const open = cents - noted.cents
  if (open <= 0) return noted.taxCents
  const share =
    (BigInt(tax - noted.taxCents) * BigInt(returned - noted.cents) * 2n + BigInt(open)) / (2n * BigInt(open))
  return noted.taxCents + Number(share)
}

/** An amount in proportion to `parts`, rounded so that its shares add up. As server/features/operator/figures/fold-taxes.ts does it. */
export function divide(cents: number, parts: number[]): number[] {
  const whole = sumOf(parts)
  if (whole === 0) return parts.map((_, at) => (at === 0 ? cents : 0))
  let [seen, given] = [0, 0]
  return parts.map((part) => {
    seen += part
    const until = rounded(BigInt(cents) * BigInt(seen), BigInt(whole))
    const own = until - given
    given = until
    return own
  })
}

/** Half away from zero, as in PostgreSQL. */
function rounded(top: bigint, bottom: bigint): number {
  const [over, under] = [top < 0n ? -top : top, bottom < 0n ? -bottom : bottom]
  const amount = Number((over * 2n + under) / (under * 2n))
  return top < 0n === bottom < 0n || amount === 0 ? amount : -amount
}

/** What `cents` of returned tax are of each tax that was paid: what credit notes say, and of the rest a share of what they left. */
export function eachTaxOfReturn(cents: number, paid: number[], noted: number[]): number[] {
  const left = paid.map((one, at) => one - noted[at]!)
  const rest = divide(cents - sumOf(noted), left)
  return noted.map((one, at) => one + rest[at]!)
}

export const sumOf = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0)
