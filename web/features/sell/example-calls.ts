/** What the example's customer has bought: 100 credits for $1, few enough that each call is seen in what is left. */
export const BOUGHT_CREDITS = 100
export const CENTS_PER_CREDIT = 1

/** A call of the example's customer. */
export interface ExampleCall {
  status: 200 | 402
  /** Credits charged; 0 if the call was refused. */
  charged: number
  remaining: number
  /** Its number among the receipts; null: nothing was charged. */
  receipt: number | null
}

/** The next call at this price, by the rule of the meter: without enough credits it is refused, before the API is called. */
export function callAt(price: number, before: readonly ExampleCall[]): ExampleCall {
  const left = before.at(-1)?.remaining ?? BOUGHT_CREDITS
  if (price > left) return { status: 402, charged: 0, remaining: left, receipt: null }
  const receipt = before.filter(({ status }) => status === 200).length + 1
  return { status: 200, charged: price, remaining: left - price, receipt }
}

export const revenueCents = (calls: readonly ExampleCall[]): number =>
  calls.reduce((sum, { charged }) => sum + charged * CENTS_PER_CREDIT, 0)
