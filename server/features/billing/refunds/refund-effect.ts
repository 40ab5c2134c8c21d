/** A payment and the credits that it bought. */
export interface RefundFigures {
  paid_cents: number
  /** Refunded, or taken back by a dispute that is open or lost. */
  refunded_cents: number
  /** Credits that the payment bought. */
  granted: number
  /** Of them, what is left to burn. */
  left: number
  /** Credits that earlier refunds were for: taken back, or burned and kept. */
  accounted: number
}

/** What a refund of `cents` does: credits that it takes back, and burned ones that the customer keeps although their money goes back. */
export function refundEffect(figures: RefundFigures, cents: number): { taken: number; kept: number } {
  const { paid_cents, refunded_cents, granted, left, accounted } = figures
  const due = Math.floor((granted * (refunded_cents + cents)) / paid_cents) - accounted
  const taken = Math.max(0, Math.min(left, due))
  return { taken, kept: Math.max(0, due - taken) }
}

/** The money of the unburned part, rounded down to the cent: the most that leaves the customer no burned credits for free. */
export function unburnedCents({ paid_cents, refunded_cents, granted, left }: RefundFigures): number {
  // Money that bought no credits, such as that of usage, has no unburned part.
  const unburned = granted === 0 ? 0 : Math.floor((paid_cents * left) / granted)
  return Math.min(unburned, paid_cents - refunded_cents)
}
