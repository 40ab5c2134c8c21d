/** What the commit must do, in its simplest form: one call after the other, in arrival order. */
export interface ModelCall {
  account: number
  /** null: the playground. */
  key: number | null
  credits: number
  success: boolean
  idempotencyKey: string | null
  request: string
}

export interface ModelAccount {
  balance: number
  payg: number
  unlimited: boolean
  blocked: boolean
  keys: { live: boolean; budget: number | null }[]
}

export interface ModelOutcome {
  name: string
  charged: number
  remaining: number
}

/** Returns the outcome of each call and updates `accounts`. */
export function runModel(accounts: ModelAccount[], calls: ModelCall[]): ModelOutcome[] {
  const charged = new Map<string, string>()
  return calls.map((call): ModelOutcome => {
    const account = accounts[call.account]
    if (!account) return { name: 'key_invalid', charged: 0, remaining: 0 }
    const key = call.key === null ? null : account.keys[call.key]
    const refuse = (name: string): ModelOutcome => ({ name, charged: 0, remaining: account.balance })
    if (call.key !== null && !key?.live) return refuse('key_invalid')
    if (account.blocked) return refuse('account_suspended')
    const cost = call.success && !account.unlimited ? call.credits : 0
    const name = call.success && call.idempotencyKey !== null ? `${call.account} ${call.idempotencyKey}` : null
    const first = name === null ? undefined : charged.get(name)
    if (first !== undefined) return refuse(first === call.request ? 'replayed' : 'idempotency_mismatch')
    if (key && key.budget !== null && cost > key.budget) return refuse('key_budget_exceeded')
    if (cost > account.balance + account.payg) return refuse('insufficient_credits')
    const fromCredits = Math.min(cost, account.balance)
    account.balance -= fromCredits
    account.payg -= cost - fromCredits
    if (key && key.budget !== null) key.budget -= cost
    if (name !== null) charged.set(name, call.request)
    return { name: 'charged', charged: cost, remaining: account.balance }
  })
}
