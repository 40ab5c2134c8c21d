import { CreditsModel, UNKNOWN } from './credits-model.ts'

export interface ModelCallInput {
  /** null: the playground. */
  key: number | null
  credits: number
  success: boolean
  /** Key, request and answer; null: none. */
  idempotency: { key: string; request: string; answer: string | null } | null
  hold: number | null
  durationMs: number
}

export interface ModelHold {
  key: number | null
  credits: number
  payg: number
  budget: number
  /** The end of the month whose budget it uses. */
  month: number
  until: number
  charge: boolean
}

/** A charged call. */
export interface ModelCharge {
  at: number
  key: number | null
  credits: number
  payg: number
  success: boolean
  tool: number
  durationMs: number
  hold: number | null
  expired: boolean
  receipt?: string
}

/** What a repeat finds. A charge from which one was answered stays. */
interface ModelKept {
  request: string
  answer: string | null
  charge: ModelCharge
  replayed: boolean
}

export interface ModelKey {
  live: boolean
  budget: number | null
  left: number
  until: number
}

const HOUR = 3_600_000
const NEVER = Number.POSITIVE_INFINITY
/** The end of the UTC month. */
export const monthEnd = (at: number): number => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1)

/** Everything that can happen to one account. */
export class AccountModel extends CreditsModel {
  readonly charges: ModelCharge[] = []
  readonly holds = new Map<number, ModelHold>()
  readonly keys: ModelKey[] = [0, 1].map(() => ({ live: true, budget: null, left: 0, until: -NEVER }))
  payg = 0
  paygUsed = 0
  paygOn = true
  blocked = false
  unlimited = false
  /** What the last batch charged or held. */
  last: ModelCharge | number | null = null
  /** By idempotency key, and by hold that was settled, or charged at its expiry. */
  readonly kept = new Map<string | number, ModelKept>()

  /** What running calls hold counts as spent until they end. */
  setPayg(allowed: { left: number; used: number } | null): void {
    const held = [...this.holds.values()].reduce((sum, { payg }) => sum + payg, 0)
    this.paygOn = allowed !== null
    this.payg = allowed ? Math.max(0, allowed.left - held) : 0
    this.paygUsed = allowed ? allowed.used + held : 0
    this.alertBelow = UNKNOWN
    this.told = true
  }

  /** Repeats are known for a day. */
  forget(now: number): void {
    for (const [name, { charge }] of this.kept) if (charge.at <= now - 24 * HOUR) this.kept.delete(name)
  }

  setBudget(key: number, budget: number | null): void {
    this.keys[key] = { ...this.keys[key]!, budget, left: 0, until: -NEVER }
    // The new budget has not paid for what is held.
    for (const held of this.holds.values()) if (held.key === key) held.budget = 0
  }

  /** Returns the refusal, or null: held under `id`, for an hour. */
  hold(
    now: number,
    id: number,
    { key, most, charge, alone = false }: Pick<ModelHold, 'key' | 'charge'> & { most: number; alone?: boolean },
  ) {
    this.begin(now)
    this.#renewBudget(now, key)
    const cost = this.unlimited ? 0 : most
    if (!alone) this.last = null
    const refusal = this.#refusal(key, cost)
    if (refusal) return refusal
    const budget = this.#key(key)
    const credits = this.#spend(key, cost)
    this.holds.set(id, {
      key,
      credits,
      payg: cost - credits,
      budget: budget?.budget == null ? 0 : cost,
      month: budget?.until ?? -NEVER,
      until: now + HOUR,
      charge,
    })
    if (!alone) this.last = id
    return null
  }

  /** Returns whether there was a hold. */
  release(now: number, id: number): boolean {
    this.begin(now)
    const empty = this.#isEmpty()
    const held = this.#takeHold(id)
    if (held && this.giveBack(now, held.credits)) this.alertBelow = UNKNOWN
    this.#tellIfFreed(empty)
    return held !== undefined
  }

  /** The end of a hold outside of a batch. */
  end(now: number, id: number): boolean {
    const held = this.holds.get(id)
    if (!held) return false
    if (!held.charge || held.until > now) {
      this.told = true
      return this.release(now, id)
    }
    this.begin(now)
    this.holds.delete(id)
    const { key, credits, payg } = held
    const charge = {
      at: now,
      key,
      credits,
      payg,
      success: true,
      tool: 1,
      durationMs: 0,
      hold: id,
    }
    this.#record({ ...charge, expired: true }, null)
    this.alertAfter(credits)
    return true
  }

  /** Returns the outcome's name and charge. A repeat is answered from the charge `first`. */
  call(now: number, { key, credits, success, idempotency: given, hold, durationMs }: ModelCallInput) {
    this.last = null
    this.begin(now)
    const empty = this.#isEmpty()
    const held = hold === null ? undefined : this.#takeHold(hold)
    this.#renewBudget(now, key)
    const cost = success && !this.unlimited ? credits : 0
    const idempotency = success ? given : null
    // What was held was allowed when it began, and pay-as-you-go that was turned off since still pays for it.
    if (held && !this.paygOn) this.payg += held.payg
    const { name, first } = this.#decide(now, { key, cost, idempotency, hold, held: held !== undefined })
    const burned = name === 'charged' ? this.#spend(key, cost) : 0
    if (!this.paygOn) this.payg = 0
    if (name === 'charged') {
      const made = { at: now, key, credits: burned, payg: cost - burned, success, tool: 1, durationMs }
      this.last = { ...made, hold, expired: false }
      this.#record(this.last, idempotency)
    }
    // What the hold has not paid is returned; only that may have been settled into the ledger.
    this.unsettled -= burned
    const back = (held?.credits ?? 0) - burned
    const restored = back > 0 && this.giveBack(now, back)
    if (back <= 0) this.unsettled -= back
    if (!this.alertAfter(burned) && restored) this.alertBelow = UNKNOWN
    this.#tellIfFreed(empty)
    return { name, charged: name === 'charged' ? cost : 0, remaining: this.balance, first }
  }

  /** The response to the last batch was lost. */
  takeBackLast(now: number): void {
    if (typeof this.last === 'number') this.takeBackHold(now, this.last)
    else if (this.last) this.#undo(now, this.last)
    this.last = null
  }

  /** The response to a hold was lost. */
  takeBackHold(now: number, id: number): void {
    const held = this.#takeHold(id)
    if (held) {
      this.told = true
      if (this.giveBack(now, held.credits)) this.alertBelow = UNKNOWN
    }
    const charge = this.kept.get(id)?.charge
    if (charge?.expired) this.#undo(now, charge)
  }

  #key = (key: number | null): ModelKey | undefined => (key === null ? undefined : this.keys[key])

  #isEmpty = (): boolean => this.balance + this.payg <= 0

  #tellIfFreed(wasEmpty: boolean): void {
    if (wasEmpty && !this.#isEmpty()) this.told = true
  }

  #record(charge: ModelCharge, idempotency: ModelCallInput['idempotency']): void {
    this.charges.push(charge)
    if (charge.hold !== null) this.kept.set(charge.hold, { request: '', answer: null, charge, replayed: false })
    if (idempotency) this.kept.set(idempotency.key, { ...idempotency, charge, replayed: false })
  }

  #undo(now: number, charge: ModelCharge): void {
    if (!charge.success) return
    const names = [...this.kept].filter(([, one]) => one.charge === charge)
    if (names.some(([, { replayed }]) => replayed)) return
    const { key, credits, payg, at } = charge
    this.balance += credits
    this.giveBack(now, credits)
    if (this.paygOn) this.payg += payg
    this.paygUsed = Math.max(0, this.paygUsed - payg)
    const budget = this.#key(key)
    if (budget?.budget != null && budget.until === monthEnd(at))
      budget.left = Math.min(budget.budget, budget.left + credits + payg)
    for (const [name] of names) this.kept.delete(name)
    Object.assign(charge, { credits: 0, payg: 0, success: false })
    this.alertBelow = UNKNOWN
    this.told = true
  }

  #decide(
    now: number,
    {
      key,
      cost,
      idempotency,
      hold,
      held,
    }: Pick<ModelCallInput, 'key' | 'idempotency' | 'hold'> & { cost: number; held: boolean },
  ): { name: string; first?: ModelCharge } {
    const refusal = held ? null : this.#standing(key)
    if (refusal) return { name: refusal }
    const known = idempotency ? this.recent(now, idempotency.key) : undefined
    if (known && known.request !== idempotency?.request) return { name: 'idempotency_mismatch' }
    if (known?.answer && idempotency?.answer && known.answer !== idempotency.answer) return { name: 'data_changed' }
    const first = known ?? (hold === null || held ? undefined : this.recent(now, hold))
    if (first) {
      first.replayed = true
      return { name: 'replayed', first: first.charge }
    }
    return { name: (held ? this.#shortage(cost) : this.#refusal(key, cost)) ?? 'charged' }
  }

  recent(now: number, name: string | number) {
    const kept = this.kept.get(name)
    return kept && kept.charge.at > now - 24 * HOUR ? kept : undefined
  }

  /** Ends a hold. Its credits can be spent, but still count as unsettled. */
  #takeHold(id: number): ModelHold | undefined {
    const held = this.holds.get(id)
    if (!held) return
    this.holds.delete(id)
    this.balance += held.credits
    if (this.paygOn) this.payg += held.payg
    this.paygUsed = Math.max(0, this.paygUsed - held.payg)
    const key = this.#key(held.key)
    if (held.budget > 0 && key?.budget != null && key.until === held.month)
      key.left = Math.min(key.budget, key.left + held.budget)
    return held
  }

  #renewBudget(now: number, name: number | null): void {
    const key = this.#key(name)
    if (key?.budget == null || key.until > now) return
    key.left = key.budget
    key.until = monthEnd(now)
  }

  #refusal(name: number | null, cost: number): string | null {
    const refusal = this.#standing(name)
    if (refusal) return refusal
    const key = this.#key(name)
    if (key?.budget != null && cost > key.left) return 'key_budget_exceeded'
    return this.#shortage(cost)
  }

  #standing(key: number | null): string | null {
    if (key !== null && !this.#key(key)?.live) return 'key_invalid'
    return this.blocked ? 'account_suspended' : null
  }

  #shortage(cost: number): string | null {
    return cost > this.balance + this.payg ? 'insufficient_credits' : null
  }

  /** Returns what credits paid. */
  #spend(name: number | null, cost: number): number {
    const burned = Math.min(cost, this.balance)
    this.balance -= burned
    this.unsettled += burned
    this.payg -= cost - burned
    this.paygUsed += cost - burned
    const key = this.#key(name)
    if (key?.budget != null) key.left = Math.max(0, key.left - cost)
    return burned
  }
}
