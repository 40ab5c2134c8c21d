/** Everything that can happen to one account, in its simplest form. Times are ms. */
export interface ModelGrant {
  priority: number
  remaining: number
  from: number
  until: number
  state: 'pending' | 'live' | 'closed'
}

export interface ModelCallInput {
  credits: number
  success: boolean
  /** Key and request; null: none. */
  idempotency: { key: string; request: string } | null
  hold: number | null
}

interface ModelHold {
  credits: number
  payg: number
  budget: number
  month: number
  until: number
  charge: boolean
}

/** What the last charged call took, until it is taken back. A repeat that was answered from it keeps it. */
interface ModelCharge {
  credits: number
  payg: number
  month: number
  key: string | null
  hold: number | null
  replayed: boolean
}

const HOUR = 3_600_000

export class AccountModel {
  grants: ModelGrant[] = []
  balance = 0
  payg = 0
  paygUsed = 0
  paygOn = true
  live = true
  blocked = false
  budget: number | null = null
  #last: ModelCharge | null = null
  readonly #charged = new Map<string, { request: string; at: number; charge: ModelCharge }>()
  readonly #holds = new Map<number, ModelHold>()
  /** When a hold was settled, or charged at its expiry. */
  readonly #settled = new Map<number, { at: number; charge?: ModelCharge }>()
  #unsettled = 0
  #budgetLeft = 0
  #budgetUntil = Number.NEGATIVE_INFINITY

  grant(now: number, grant: Omit<ModelGrant, 'state'>): void {
    this.settle(now)
    this.grants.push({ ...grant, state: 'pending' })
    this.settle(now)
  }

  /** Returns how much was taken. */
  takeBack(now: number, grant: ModelGrant, amount: number): number {
    this.settle(now)
    const taken = Math.min(grant.remaining, amount)
    if (grant.state === 'live') this.balance -= taken
    grant.remaining -= taken
    if (taken > 0 && grant.remaining === 0) grant.state = 'closed'
    return taken
  }

  setBudget(budget: number | null): void {
    this.budget = budget
    this.#budgetLeft = 0
    this.#budgetUntil = Number.NEGATIVE_INFINITY
    // The new budget has not paid for what is held.
    for (const held of this.#holds.values()) held.budget = 0
  }

  /** What is left of this month's budget; null: there is none. */
  budgetLeft(now: number): number | null {
    if (this.budget === null) return null
    return this.#budgetUntil <= now ? this.budget : this.#budgetLeft
  }

  /** Returns the refusal, or null: held under `id`, for an hour. */
  hold(now: number, id: number, most: number, charge: boolean): string | null {
    this.#begin(now)
    const refusal = this.#refusal(most)
    if (refusal) return refusal
    const credits = Math.min(most, this.balance)
    this.#spend(most)
    this.#holds.set(id, {
      credits,
      payg: most - credits,
      budget: this.budget === null ? 0 : most,
      month: this.#budgetUntil,
      until: now + HOUR,
      charge,
    })
    return null
  }

  /** Returns whether there was a hold. */
  release(now: number, id: number): boolean {
    this.#begin(now)
    const held = this.#takeHold(id)
    this.#giveBack(held?.credits ?? 0)
    return held !== undefined
  }

  /** Returns how many holds have ended. */
  endExpired(now: number): number {
    const expired = [...this.#holds].filter(([, { until }]) => until <= now)
    for (const [id, { charge }] of expired) {
      if (!charge) this.release(now, id)
      else {
        this.#begin(now)
        this.#holds.delete(id)
        this.#settled.set(id, { at: now })
      }
    }
    return expired.length
  }

  /** Returns the outcome's name and charge. */
  call(now: number, { credits, success, idempotency, hold }: ModelCallInput): { name: string; charged: number } {
    this.#begin(now)
    const held = hold === null ? undefined : this.#takeHold(hold)
    const cost = success ? credits : 0
    // What was held was allowed when it began, and pay-as-you-go that was turned off since still pays for it.
    if (held && !this.paygOn) this.payg += held.payg
    const name = this.#decide(now, cost, success ? idempotency : null, hold, held !== undefined)
    if (name !== 'charged') {
      if (!this.paygOn) this.payg = 0
      this.#giveBack(held?.credits ?? 0)
      return { name, charged: 0 }
    }
    const burned = this.#spend(cost)
    if (!this.paygOn) this.payg = 0
    // What the hold has not paid is returned; only that may have been settled into the ledger.
    this.#unsettled -= burned
    if (held && burned < held.credits) this.#giveBack(held.credits - burned)
    else this.#unsettled += burned - (held?.credits ?? 0)
    const key = success && idempotency ? idempotency.key : null
    const charge = { credits: burned, payg: cost - burned, month: this.#budgetUntil, key, hold, replayed: false }
    this.#last = success ? charge : null
    if (key !== null) this.#charged.set(key, { request: idempotency!.request, at: now, charge })
    if (hold !== null) this.#settled.set(hold, { at: now, charge })
    return { name: 'charged', charged: cost }
  }

  /** The response to the last charged call was lost. */
  takeBackCharge(): void {
    const charge = this.#last
    this.#last = null
    if (!charge || charge.replayed) return
    this.balance += charge.credits
    this.#giveBack(charge.credits)
    if (this.paygOn) this.payg += charge.payg
    this.paygUsed = Math.max(0, this.paygUsed - charge.payg)
    if (this.budget !== null && this.#budgetUntil === charge.month)
      this.#budgetLeft = Math.min(this.budget, this.#budgetLeft + charge.credits + charge.payg)
    if (charge.key !== null) this.#charged.delete(charge.key)
    if (charge.hold !== null) this.#settled.delete(charge.hold)
  }

  settle(now: number): void {
    const live = this.grants
      .filter(({ state }) => state === 'live')
      .sort((a, b) => a.priority - b.priority || (a.until === b.until ? 0 : a.until - b.until))
    for (const grant of live) {
      const burned = Math.min(grant.remaining, this.#unsettled)
      grant.remaining -= burned
      this.#unsettled -= burned
      if (burned > 0 && grant.remaining === 0) grant.state = 'closed'
    }
    for (const grant of this.grants) {
      if (grant.state === 'pending' && grant.from <= now) {
        grant.state = 'live'
        this.balance += grant.remaining
      }
      if (grant.state === 'live' && grant.until <= now) {
        grant.state = 'closed'
        this.balance -= grant.remaining
        grant.remaining = 0
      }
    }
  }

  #decide(
    now: number,
    cost: number,
    idempotency: ModelCallInput['idempotency'],
    hold: number | null,
    held: boolean,
  ): string {
    const refusal = held ? null : this.#standing()
    if (refusal) return refusal
    const known = idempotency ? this.#charged.get(idempotency.key) : undefined
    if (known && known.at > now - 24 * HOUR) {
      if (known.request !== idempotency?.request) return 'idempotency_mismatch'
      known.charge.replayed = true
      return 'replayed'
    }
    const settled = hold === null || held ? undefined : this.#settled.get(hold)
    if (settled && settled.at > now - 24 * HOUR) {
      if (settled.charge) settled.charge.replayed = true
      return 'replayed'
    }
    return (held ? this.#shortage(cost) : this.#refusal(cost)) ?? 'charged'
  }

  /** Ends a hold. Its credits can be spent, but still count as unsettled. */
  #takeHold(id: number): ModelHold | undefined {
    const held = this.#holds.get(id)
    if (!held) return
    this.#holds.delete(id)
    this.balance += held.credits
    if (this.paygOn) this.payg += held.payg
    this.paygUsed = Math.max(0, this.paygUsed - held.payg)
    if (held.budget > 0 && this.budget !== null && this.#budgetUntil === held.month)
      this.#budgetLeft = Math.min(this.budget, this.#budgetLeft + held.budget)
    return held
  }

  /** Credits that were settled in the meantime come back as a separate grant, which burns first and never expires. */
  #giveBack(credits: number): void {
    const settled = Math.max(0, credits - this.#unsettled)
    if (settled > 0)
      this.grants.push({ priority: 10, remaining: settled, from: 0, until: Number.POSITIVE_INFINITY, state: 'live' })
    this.#unsettled -= credits - settled
  }

  #begin(now: number): void {
    if (
      this.grants.some(
        ({ state, from, until }) => (state === 'live' ? until : state === 'pending' ? from : now + 1) <= now,
      )
    )
      this.settle(now)
    if (this.budget !== null && this.#budgetUntil <= now) {
      this.#budgetLeft = this.budget
      const day = new Date(now)
      this.#budgetUntil = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1)
    }
  }

  #refusal(cost: number): string | null {
    const refusal = this.#standing()
    if (refusal) return refusal
    if (this.budget !== null && cost > this.#budgetLeft) return 'key_budget_exceeded'
    return this.#shortage(cost)
  }

  #standing(): string | null {
    if (!this.live) return 'key_invalid'
    return this.blocked ? 'account_suspended' : null
  }

  #shortage(cost: number): string | null {
    return cost > this.balance + this.payg ? 'insufficient_credits' : null
  }

  /** Returns what credits paid. */
  #spend(cost: number): number {
    const burned = Math.min(cost, this.balance)
    this.balance -= burned
    this.#unsettled += burned
    this.payg -= cost - burned
    this.paygUsed += cost - burned
    if (this.budget !== null) this.#budgetLeft = Math.max(0, this.#budgetLeft - cost)
    return burned
  }
}
