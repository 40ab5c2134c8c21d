const HINT_MS = 5_000
const MAX_HINTS = 50_000

type Refusal = 'insufficient_credits' | 'account_suspended'

/**
 * Accounts that the commit just refused: their next calls are refused before any work. Only a hint: it expires after
 * five seconds, or at once when the account's credits change.
 */
export class RefusalHints {
  readonly #hints = new Map<number, { refusal: Refusal; untilMs: number }>()

  set(accountId: number, refusal: Refusal): void {
    if (this.#hints.size >= MAX_HINTS) this.#hints.clear()
    this.#hints.set(accountId, { refusal, untilMs: Date.now() + HINT_MS })
  }

  get(accountId: number): Refusal | null {
    const hint = this.#hints.get(accountId)
    if (!hint) return null
    if (hint.untilMs > Date.now()) return hint.refusal
    this.#hints.delete(accountId)
    return null
  }

  delete(accountId: number): void {
    this.#hints.delete(accountId)
  }

  clear(): void {
    this.#hints.clear()
  }
}
