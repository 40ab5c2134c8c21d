/** What a purchase costs, computed here from the price list; never taken from the client. */
export interface Quote {
  credits: number
  microUsd: bigint
  resource: { url: string; description: string }
  /** The longest time that the work may take. */
  timeoutMs: number
}

/** A decoded payment, not checked yet. Every field is in one spelling, so that equal payments are equal. */
export interface Credential {
  network: string
  asset: string
  payer: string
  /** What makes the payment single, with the fields above. */
  nonce: string
  payTo: string
  /** Atomic units of the asset, decimal digits. */
  amount: string
  validBefore: Date
  /** SHA-256 of the whole payment. */
  hash: string
}

/** What became of money. `unknown` is never told as a failure: the payer would pay again. */
export type Settlement =
  | { kind: 'settled'; reference: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'unknown'; reason: string }

/** The parts of a stored payment by which it is found again. */
export interface Claim {
  network: string
  asset: string
  payer: string
  nonce: string
  payTo: string
  amount: string
  claimedAt: Date
  validBefore: Date
}

/** The outcome of a settlement as clients are told it. */
export interface Receipt {
  success: boolean
  reference: string
  network: string
  payer: string
  reason?: string
}

/** A way to take money for one purchase. `C` is its decoded payment. */
export interface PaymentMethod<C extends Credential = Credential> {
  // Written as methods, whose parameters TypeScript compares loosely: a method for one kind of payment then passes as any. It is only
  // given what it has read itself.
  readonly id: string
  /** How a quote can be paid, as a client is told. `error`: why its last payment was refused. */
  offer(quote: Quote, error?: string): Record<string, unknown>
  /** Decodes what a client sent, at most 8 KB. Throws invalid_parameter. */
  read(given: unknown): C
  /** Why the payment does not pay this quote; null: it may. Asks nobody. */
  refuses(credential: C, quote: Quote): string | null
  /** Whether the payer signed it and has the money: the reason if not. Throws billing_unavailable. */
  verify(credential: C, quote: Quote): Promise<string | null>
  /** Takes the money, once, within the payment's own validity. Never throws. */
  settle(credential: C, quote: Quote): Promise<Settlement>
  /** What became of a payment whose settlement was not answered. Never throws. */
  look(claim: Claim): Promise<Settlement>
  receipt(receipt: Receipt): Record<string, unknown>
}
