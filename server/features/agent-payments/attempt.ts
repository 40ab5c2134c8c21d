import { createHash } from 'node:crypto'
import { bucketOf } from '../../db/buckets.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { unavailable } from '../../http/unavailable.ts'
import type { Caller, CommitOutcome, MeteredCall } from '../metering/meter.ts'
import {
  type Claimed,
  claimPayment,
  failedText,
  findPaid,
  type Purchase,
  type Repeat,
  unknownSettlement,
} from './claim.ts'
import { requireAllowed } from './deny.ts'
import type { Credential, PaymentMethod, Quote, Receipt } from './method.ts'
import { beginSettling, noteOutcome, type Recorded, recordSettled, releaseClaim } from './record-settled.ts'

export type AttemptDeps = Pick<Deps, 'config' | 'db' | 'limits' | 'log' | 'secrets'>

/** A request that may pay, whatever transport carries it. */
export interface Asked extends Pick<Purchase, 'product' | 'topUp'> {
  quote: Quote
  /** What is asked for, and how it is paid, for people. */
  wanted: string
  requestHash: string
  /** As it was sent; undefined: none was. */
  payment: unknown
  idempotencyKey: string | undefined
  address: string
  country: string | undefined
  /** Whether the client has disconnected. */
  isGone: () => boolean
}

/**
 * One purchase. A call that is paid by itself: verify, claim, run, settle, commit, answer, in this order. `admit` does the first two; the
 * meter's commit asks `charge` for the next ones; `end` gives a claim up that nothing came of. A balance has no work: `buy` does it all.
 */
export class Attempt {
  /** Why the last payment was refused, for the next offer. */
  error: string | undefined
  /** The answer is to say how to pay. */
  wanted = false
  /** What became of the payment, if its money was asked for. */
  receipt: Receipt | null = null
  #claim: { id: number; attempt: number } | null = null
  readonly #deps: AttemptDeps
  readonly #method: PaymentMethod
  readonly #asked: Asked

  constructor(deps: AttemptDeps, method: PaymentMethod, asked: Asked) {
    this.#deps = deps
    this.#method = method
    this.#asked = asked
  }

  /** How the call can be paid. */
  offer(): Record<string, unknown> {
    return this.#method.offer(this.#asked.quote, this.error)
  }

  /** Verifies and claims the payment. Returns the account whose usage the call becomes. Throws payment_required and what `claimPayment` throws. */
  async admit(): Promise<Caller> {
    const { claimed, credential } = await this.#claims()
    if (claimed.kind === 'repeat') {
      const { accountId, id, attempt } = claimed
      return this.#callerOf(accountId, id, attempt)
    }
    const { id, attempt, accountId } = claimed
    return this.#callerOf(accountId, id, attempt, async (call) => {
      if (call.credits > this.#asked.quote.credits)
        throw new AppError(
          'invalid_parameter',
          'This call has more rows than its payment covers. Nothing was charged. Ask for less, or use an API key.',
          { param: 'limit' },
        )
      const { charge } = await this.#settles(claimed, credential, call)
      return charge!
    })
  }

  /** Verifies, claims and settles the payment of a balance. Returns the payment's id, for a repeat that of the first one. Throws as `admit`. */
  async buy(): Promise<number> {
    const { claimed, credential } = await this.#claims()
    if (claimed.kind === 'claimed') await this.#settles(claimed, credential, null)
    return claimed.id
  }

  /** Gives up a claim that was not settled. Call it when the answer is known, before it is sent. */
  async end(): Promise<void> {
    if (!this.#claim) return
    await releaseClaim(this.#deps.db, this.#claim).catch((error: Error) =>
      this.#deps.log.warn({ error: error.message }, 'a claim could not be released: it will expire'),
    )
  }

  async #claims(): Promise<{ claimed: Claimed; credential: Credential }> {
    const { payment, quote, requestHash, idempotencyKey, address, country, product, topUp, wanted } = this.#asked
    if (payment === undefined) throw this.#wants(wanted)
    const credential = this.#method.read(payment)
    requireAllowed(this.#deps.config, credential.payer, country)
    const refused = this.#method.refuses(credential, quote)
    if (refused !== null) throw this.#refuses(refused)
    await this.#deps.limits.count('agentSignatures', { address })
    const purchase: Purchase = {
      supplier: this.#method.id,
      credential,
      quote,
      requestHash,
      product,
      topUp,
      wish: idempotencyKey === undefined ? null : createHash('sha256').update(idempotencyKey).digest('hex'),
    }
    const find = () => this.#watching(findPaid(this.#deps.db.kysely, purchase))
    const known = await find()
    if (known) return { claimed: this.#repeats(known), credential }
    const invalid = await this.#method.verify(credential, quote)
    if (invalid !== null) {
      // It may be used up because another request has just paid with it: told to pay, the payer would sign a second one.
      const paid = await find()
      if (!paid) throw this.#refuses(invalid)
      return { claimed: this.#repeats(paid), credential }
    }
    // Only now: others may write anybody's address into a payment, and must not use up what its owner may do.
    await this.#deps.limits.count('agentPayments', { person: credential.payer })
    const claimed = await this.#watching(claimPayment(this.#deps.db, this.#deps.config, purchase))
    if (claimed.kind === 'repeat') return { claimed: this.#repeats(claimed), credential }
    this.#claim = claimed
    return { claimed, credential }
  }

  #repeats(repeat: Repeat): Repeat {
    const { reference, network, payer } = repeat
    this.receipt = { success: true, reference, network, payer }
    return repeat
  }

  async #callerOf(
    accountId: number,
    id: number,
    attempt: number,
    charge?: (call: MeteredCall) => Promise<CommitOutcome>,
  ): Promise<Caller> {
    const bucket = (await bucketOf(this.#deps.db.kysely, accountId)) ?? 0
    const payment = { idempotencyKey: `payment:${id}:${attempt}`, ...(charge && { charge }) }
    return { accountId, bucket, keyId: null, rateLimitPerMinute: null, payment }
  }

  async #settles(
    claim: { id: number; attempt: number },
    credential: Credential,
    call: MeteredCall | null,
  ): Promise<Recorded> {
    const { db, log } = this.#deps
    const { quote, isGone } = this.#asked
    if (isGone()) throw new AppError('request_timeout', 'The client has disconnected. Nothing was charged.')
    await beginSettling(db, claim, call && { ...call, credits: quote.credits })
    const settled = await this.#method.settle(credential, quote)
    const { network, payer } = credential
    const note = (state: 'failed' | 'unknown', reason: string) =>
      noteOutcome(db, claim.id, state, reason).catch((error: Error) =>
        log.error({ payment: claim.id, error: error.message }, 'the outcome of a payment could not be noted'),
      )
    if (settled.kind === 'failed') {
      await note('failed', settled.reason)
      this.receipt = { success: false, reference: '', network, payer, reason: settled.reason }
      throw this.#refuses(settled.reason)
    }
    if (settled.kind === 'unknown') {
      await note('unknown', settled.reason)
      throw unknownSettlement()
    }
    const recorded = await recordSettled(this.#deps, claim.id, settled.reference).catch((error: Error) => {
      log.error({ payment: claim.id, error: error.message }, 'a settled payment could not be written: a job will')
      return null
    })
    if (!recorded) throw unknownSettlement()
    this.receipt = { success: true, reference: settled.reference, network, payer }
    return recorded
  }

  #refuses(reason: string): AppError {
    this.error = reason
    return this.#wants(failedText(reason))
  }

  #wants(text: string): AppError {
    this.wanted = true
    return new AppError('payment_required', text)
  }

  /** A payment that failed before is answered like one that fails now. Without the database nothing is claimed: metering_unavailable. */
  async #watching<T>(asking: Promise<T>): Promise<T> {
    try {
      return await asking
    } catch (error) {
      if (!(error instanceof AppError)) return unavailable(error)
      if (error.code === 'payment_required') this.wanted = true
      throw error
    }
  }
}

/** Dollars with as many decimals as needed, without a float. */
export function usdText(microUsd: bigint): string {
  const text = String(microUsd).padStart(7, '0')
  return `$${text.slice(0, -6)}.${text.slice(-6).replace(/0{1,4}$/, '')}`
}

/** How a call is paid, for people. */
export function wantedText({ credits, microUsd }: Quote): string {
  const cost = credits === 1 ? '1 credit' : `${credits} credits`
  return `This call costs ${cost}, ${usdText(microUsd)}. Pay for it as the terms in this response say, or send an API key.`
}
