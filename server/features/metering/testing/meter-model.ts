/** What the commit must do, in its simplest form: one entry after the other, in arrival order. */
export interface ModelEntry {
  kind: 'call' | 'hold' | 'settle' | 'release'
  account: number
  /** null: the playground. */
  key: number | null
  /** Of a hold: the most. */
  credits: number
  success: boolean
  idempotencyKey: string | null
  request: string
  /** The hold that is made, settled or released. */
  hold: number
  durationMs: number
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
  /** null: the meter does not tell. */
  remaining: number | null
}

/** What is known between one entry and the next. */
export class MeterModel {
  readonly #accounts: ModelAccount[]
  /** By idempotency key: the request. By hold: that it was settled. */
  readonly #charged = new Map<string, string>()
  readonly #holds = new Map<
    string,
    { credits: number; payg: number; budget: number; key: { budget: number | null } | null }
  >()

  constructor(accounts: ModelAccount[]) {
    this.#accounts = accounts
  }

  get openHolds(): number {
    return this.#holds.size
  }

  /** Returns the outcome of an entry and updates the accounts. */
  decide(entry: ModelEntry): ModelOutcome {
    const account = this.#accounts[entry.account]
    if (!account) return { name: entry.kind === 'release' ? 'ended' : 'key_invalid', charged: 0, remaining: null }
    const hold = `${entry.account} hold ${entry.hold}`
    const ended = entry.kind === 'settle' || entry.kind === 'release' ? this.#holds.get(hold) : undefined
    if (ended) {
      this.#holds.delete(hold)
      account.balance += ended.credits
      account.payg += ended.payg
      if (ended.key && ended.key.budget !== null) ended.key.budget += ended.budget
    }
    const tell = (name: string, charged = 0): ModelOutcome => ({ name, charged, remaining: account.balance })
    if (entry.kind === 'release') return { name: ended ? 'released' : 'ended', charged: 0, remaining: null }
    const key = entry.key === null ? null : account.keys[entry.key]
    // What was held was allowed when it began.
    if (!ended && entry.key !== null && !key?.live) return tell('key_invalid')
    if (!ended && account.blocked) return tell('account_suspended')
    const cost = entry.success && !account.unlimited ? entry.credits : 0
    const keyed = entry.kind !== 'hold' && entry.success && entry.idempotencyKey !== null
    const name = keyed ? `${entry.account} ${entry.idempotencyKey}` : null
    const first = name === null ? undefined : this.#charged.get(name)
    if (first !== undefined) return tell(first === entry.request ? 'replayed' : 'idempotency_mismatch')
    if (entry.kind === 'settle' && !ended && this.#charged.has(hold)) return tell('replayed')
    if (!ended && key && key.budget !== null && cost > key.budget) return tell('key_budget_exceeded')
    if (cost > account.balance + account.payg) return tell('insufficient_credits')
    const fromCredits = Math.min(cost, account.balance)
    account.balance -= fromCredits
    account.payg -= cost - fromCredits
    if (key && key.budget !== null) key.budget = Math.max(0, key.budget - cost)
    if (entry.kind === 'hold') {
      this.#holds.set(hold, { credits: fromCredits, payg: cost - fromCredits, budget: cost, key: key ?? null })
      return { name: 'held', charged: 0, remaining: null }
    }
    if (name !== null) this.#charged.set(name, entry.request)
    if (entry.kind === 'settle') this.#charged.set(hold, '')
    return tell('charged', cost)
  }
}
