import type { Credited } from '../stripe/credit-notes.ts'

interface Returned {
  /** What was paid, and the tax in it. */
  cents: number
  tax: number
  /** What went back by now. */
  returned: number
  credited: Credited | null
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
