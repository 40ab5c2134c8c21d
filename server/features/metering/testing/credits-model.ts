/** The credits of one account and the rows that they leave, in their simplest form. Times are ms. */
export interface ModelGrant {
  kind: string
  priority: number
  amount: number
  remaining: number
  from: number
  until: number
  made: number
  state: 'pending' | 'live' | 'closed'
}

const NEVER = Number.POSITIVE_INFINITY
/** Of alertBelow: not computed yet, and none left. */
export const UNKNOWN = Number.MAX_SAFE_INTEGER
export const NONE = -1

export class CreditsModel {
  readonly grants: ModelGrant[] = []
  /** Grant, kind, time, credits. */
  readonly ledger: [number, string, number, number][] = []
  balance = 0
  unsettled = 0
  debt = 0
  dueAt = NEVER
  alertBelow = UNKNOWN
  alerted = false
  /** Whether servers that remember an empty account must be told. */
  told = false

  grant(now: number, grant: Pick<ModelGrant, 'kind' | 'priority' | 'amount' | 'from' | 'until'>): ModelGrant {
    this.settle(now)
    const paid = Math.min(this.debt, grant.amount)
    const made = this.#add({ ...grant, remaining: grant.amount - paid, made: now, state: 'pending' }, 'grant')
    if (paid > 0) this.#write(made, 'debt', now, -paid)
    if (made.remaining === 0) made.state = 'closed'
    this.debt -= paid
    this.dueAt = Math.min(this.dueAt, grant.from)
    this.alertBelow = UNKNOWN
    this.settle(now)
    this.told = true
    return made
  }

  /** Returns how much was taken. */
  takeBack(now: number, grant: ModelGrant, amount: number): number {
    this.settle(now)
    const taken = Math.min(grant.remaining, amount)
    if (taken === 0) return 0
    if (grant.state === 'live') this.balance -= taken
    grant.remaining -= taken
    if (grant.remaining === 0) grant.state = 'closed'
    this.#write(grant, 'void', now, -taken)
    this.dueAt = this.#nextDue()
    this.alertBelow = UNKNOWN
    this.told = true
    return taken
  }

  shorten(now: number, grant: ModelGrant, until: number): void {
    if (grant.state === 'closed' || grant.until <= until) return
    grant.until = until
    this.dueAt = Math.min(this.dueAt, until)
    this.settle(now)
    this.told = true
  }

  settle(now: number): void {
    const live = this.grants
      .filter(({ state }) => state === 'live')
      .sort((a, b) => a.priority - b.priority || (a.until === b.until ? a.made - b.made : a.until - b.until))
    for (const grant of live) {
      const burned = Math.min(grant.remaining, this.unsettled)
      if (burned === 0) continue
      grant.remaining -= burned
      this.unsettled -= burned
      this.#write(grant, 'debit', now, -burned)
      if (grant.remaining === 0) grant.state = 'closed'
    }
    if (this.dueAt > now) return
    for (const grant of this.grants) {
      if (grant.state === 'pending' && grant.from <= now) {
        grant.state = 'live'
        this.balance += grant.remaining
      }
      if (grant.state === 'live' && grant.until <= now) {
        grant.state = 'closed'
        if (grant.remaining === 0) continue
        this.balance -= grant.remaining
        this.#write(grant, 'expiry', now, -grant.remaining)
        grant.remaining = 0
        this.alertBelow = UNKNOWN
      }
    }
    this.dueAt = this.#nextDue()
  }

  /** What a commit does first. */
  begin(now: number): void {
    if (this.dueAt <= now) this.settle(now)
  }

  /** Returns whether a charge has crossed the alert. */
  protected alertAfter(credits: number): boolean {
    if (credits === 0 || this.balance > this.alertBelow) return false
    this.alertBelow = NONE
    this.alerted = true
    return true
  }

  /** Credits that were settled in the meantime come back as a separate grant, which burns first and never expires: true. */
  protected giveBack(now: number, credits: number): boolean {
    const settled = Math.max(0, credits - this.unsettled)
    this.unsettled -= credits - settled
    if (settled === 0) return false
    const grant = { kind: 'restore', priority: 10, amount: settled, remaining: settled, from: now, until: NEVER }
    this.#add({ ...grant, made: now, state: 'live' }, 'refund')
    return true
  }

  #nextDue(): number {
    const open = this.grants.filter(({ state }) => state !== 'closed')
    return Math.min(NEVER, ...open.map(({ state, from, until }) => (state === 'live' ? until : from)))
  }

  #add(grant: ModelGrant, kind: string): ModelGrant {
    this.grants.push(grant)
    this.#write(grant, kind, grant.made, grant.amount)
    return grant
  }

  #write(grant: ModelGrant, kind: string, at: number, credits: number): void {
    this.ledger.push([this.grants.indexOf(grant), kind, at, credits])
  }
}
