/** What is left of a grant that was paid for. Credits and money are whole numbers; money in minor units of its currency. */
export interface GrantMoney {
  /** Money and credits when it began, or when some were last taken back. */
  money: number
  credits: number
  remaining: number
}

/** `floor(money * part / credits)`, exact: the product may pass 2^53. */
const share = (money: number, part: number, credits: number): number =>
  Number((BigInt(money) * BigInt(part)) / BigInt(credits))

/** The money that is still owed in credits. The last credit takes the remainder, so that all steps add up to the money. */
export const liabilityOf = ({ money, credits, remaining }: GrantMoney): number =>
  money - share(money, credits - remaining, credits)

/** Some credits burned. Returns the money that they earned. */
export function burn(grant: GrantMoney, credits: number): number {
  const before = liabilityOf(grant)
  grant.remaining -= credits
  return before - liabilityOf(grant)
}

/** Some unburned credits were taken back: what was earned stays, and the rest starts anew. Returns the money that is no longer owed. */
export function takeBack(grant: GrantMoney, credits: number): number {
  const before = liabilityOf(grant)
  const { remaining } = grant
  grant.money = share(before, remaining - credits, remaining)
  grant.credits = remaining - credits
  grant.remaining = remaining - credits
  return before - (grant.remaining === 0 ? 0 : liabilityOf(grant))
}

/** The money of one month of a line that paid for several: their sum is the line's. */
export const moneyOfMonth = (cents: number, month: number, months: number): number =>
  share(cents, month + 1, months) - share(cents, month, months)
