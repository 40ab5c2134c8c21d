import { sql } from 'kysely'
import { emptiestBucket } from '../../db/buckets.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { openCreditAccount } from '../credits/open-account.ts'
import { requireSales } from '../switches/switches.ts'
import { requireRoom } from './balance/require-room.ts'
import type { Credential, Quote } from './method.ts'
import { type PaymentLimits, requireWithinLimits } from './payment-limits.ts'

/** Repeats of an answer are free, and a payment can be read by everybody on its chain: so there are few. */
const MOST_REPEATS = 5

/** A purchase as it is claimed. */
export interface Purchase {
  supplier: string
  credential: Credential
  quote: Quote
  product: 'call' | 'balance'
  /** The account of a balance to which this one is added. */
  topUp: number | null
  /** Of the request, as the meter hashes it. */
  requestHash: string
  /** Hash of the client's own idempotency key. */
  wish: string | null
}

export type Claimed =
  /** The work may begin. `attempt` names the claim: an older one settles nothing. */
  | { kind: 'claimed'; id: number; attempt: number; accountId: number }
  /** It was paid before: the answer is given again. */
  | Repeat

export interface Repeat {
  kind: 'repeat'
  id: number
  attempt: number
  accountId: number
  reference: string
  network: string
  payer: string
}

interface Row {
  id: number
  attempt: number
  state: 'claimed' | 'settling' | 'settled' | 'failed' | 'unknown' | 'released'
  is_same: boolean
  is_same_request: boolean
  is_same_wish: boolean
  is_over: boolean
  is_settling: boolean
  is_kept: boolean
  repeats: number
  account_id: number
  reference: string
  network: string
  payer: string
  reason: string | null
}

const columns = (purchase: Purchase) => sql`id, attempt, state, repeats, account_id, reference, network, payer, reason,
  credential_hash = ${purchase.credential.hash} as is_same, request_hash = ${purchase.requestHash} as is_same_request,
  wish is not distinct from ${purchase.wish} as is_same_wish,
  state = 'settling' and settling_at > app_now() - interval '1 minute' as is_settling,
  claimed_until <= app_now() as is_over, coalesce(decided_at > app_now() - interval '24 hours', true) as is_kept`

/**
 * What is known of the same payment: its repeat, or null if the work may be done. Throws payment_in_progress, payment_reused,
 * payment_settlement_unknown, payment_required (it failed).
 */
export async function findPaid(db: Queryable, purchase: Purchase): Promise<Repeat | null> {
  const { credential, supplier } = purchase
  const { rows } = await sql<Row>`
    select ${columns(purchase)} from agent_payments where supplier = ${supplier} and network = ${credential.network}
      and asset = ${credential.asset} and payer = ${credential.payer} and nonce = ${credential.nonce}`.execute(db)
  const [own] = rows
  return own ? answerOf(db, own) : null
}

/** The same of another payment for the same wish. The payer of this one has to be proven: keys of clients can be guessed. */
async function findWished(db: Queryable, purchase: Purchase): Promise<Repeat | null> {
  const { credential, supplier, wish } = purchase
  if (wish === null) return null
  const { rows: others } = await sql<Row>`
    select ${columns(purchase)} from agent_payments where supplier = ${supplier} and payer = ${credential.payer} and wish = ${wish}
      and state not in ('released', 'failed') and (state <> 'settled' or decided_at > app_now() - interval '24 hours')
    order by id limit 1`.execute(db)
  const [other] = others
  if (!other) return null
  if (!other.is_same_request) throw new AppError('idempotency_mismatch')
  return answerOf(db, { ...other, is_same: true })
}

async function answerOf(db: Queryable, row: Row): Promise<Repeat | null> {
  if (row.state === 'released' || (row.state === 'claimed' && row.is_over)) return null
  if (!row.is_same || !row.is_same_request) throw reused()
  if (row.state === 'claimed' || row.is_settling) throw inProgress()
  if (row.state === 'failed') throw new AppError('payment_required', failedText(row.reason))
  if (row.state !== 'settled') throw unknownSettlement()
  // What settled is public on the chain. The client's own key is not: where it had one, a repeat must have it, too.
  if (!row.is_same_wish) throw reused()
  const { rows } = await sql<{ id: number }>`
    update agent_payments set repeats = repeats + 1 where id = ${row.id} and repeats < ${MOST_REPEATS} returning id`.execute(
    db,
  )
  if (!row.is_kept || rows.length === 0) throw reused()
  const { id, attempt, account_id: accountId, reference, network, payer } = row
  return { kind: 'repeat', id, attempt, accountId, reference, network, payer }
}

/**
 * Claims a verified payment, durably, before its work: of any number of requests with it, or with another one for the same idempotency
 * key, on any number of servers, one gets it. Throws what `findPaid` throws, idempotency_mismatch, billing_unavailable (sales are stopped),
 * rate_limited, account_suspended.
 */
export function claimPayment(db: Database, limits: PaymentLimits, purchase: Purchase): Promise<Claimed> {
  const { supplier, credential, quote, requestHash, wish, product, topUp } = purchase
  const seconds = Math.ceil(quote.timeoutMs / 1000) + 60
  return db.kysely.transaction().execute(async (tx) => {
    await requireSales(tx)
    // One after the other, so that limits are exact. Claims are rare, and short.
    await sql`select pg_advisory_xact_lock(hashtext('agent_payments'))`.execute(tx)
    const repeat = (await findPaid(tx, purchase)) ?? (await findWished(tx, purchase))
    if (repeat) return repeat
    await requireWithinLimits(tx, limits, purchase)
    const ownAccount = await accountOfPayer(tx, supplier, credential.payer)
    if (topUp !== null) await requireRoom(tx, limits, topUp, quote.credits)
    // A new balance gets its account when it is paid.
    const accountId = topUp ?? ownAccount
    const { rows } = await sql<{ id: number; attempt: number }>`
      insert into agent_payments (supplier, network, asset, payer, nonce, credential_hash, request_hash, wish, product, pay_to, credits,
        micro_usd, atomic, account_id, valid_before, claimed_until)
      values (${supplier}, ${credential.network}, ${credential.asset}, ${credential.payer}, ${credential.nonce}, ${credential.hash},
        ${requestHash}, ${wish}, ${product}, ${credential.payTo}, ${quote.credits}, ${String(quote.microUsd)}, ${credential.amount},
        ${accountId}, ${credential.validBefore}, app_now() + make_interval(secs => ${seconds}))
      on conflict (supplier, network, asset, payer, nonce) do update
        set state = 'claimed', attempt = agent_payments.attempt + 1, credential_hash = excluded.credential_hash,
          request_hash = excluded.request_hash, wish = excluded.wish, product = excluded.product, credits = excluded.credits,
          micro_usd = excluded.micro_usd, atomic = excluded.atomic, account_id = excluded.account_id,
          valid_before = excluded.valid_before, claimed_at = app_now(), claimed_until = excluded.claimed_until
        where agent_payments.state in ('released', 'claimed')
      returning id, attempt`.execute(tx)
    const [claimed] = rows
    if (!claimed) throw inProgress()
    return { kind: 'claimed', ...claimed, accountId }
  })
}

/** The account in which the payer's calls are recorded. It never has credits beyond a call that is being paid. */
async function accountOfPayer(tx: Queryable, supplier: string, payer: string): Promise<number> {
  const { rows } = await sql<{ account_id: number; suspended: boolean }>`
    select account_id, suspended_at is not null as suspended from agent_accounts join accounts a on a.id = account_id
    where supplier = ${supplier} and payer = ${payer}`.execute(tx)
  const [known] = rows
  if (known?.suspended) throw new AppError('account_suspended')
  if (known) return known.account_id
  const { id } = await tx
    .insertInto('accounts')
    .values({ name: `Agent ${payer.slice(0, 10)}…${payer.slice(-4)}`, bucket: emptiestBucket })
    .returning('id')
    .executeTakeFirstOrThrow()
  await openCreditAccount(tx, id)
  await sql`insert into agent_accounts (account_id, supplier, payer) values (${id}, ${supplier}, ${payer})`.execute(tx)
  return id
}

const reused = () =>
  new AppError(
    'payment_reused',
    'This payment was already used. Nothing was charged now. Sign a new one for this request.',
  )
const inProgress = () => new AppError('payment_in_progress', undefined, { retryAfterSeconds: 2 })

export const unknownSettlement = () => new AppError('payment_settlement_unknown', undefined, { retryAfterSeconds: 10 })

export const failedText = (reason: string | null): string =>
  `The payment failed (${reason ?? 'refused'}), and nothing was delivered. Sign a new payment from the terms in this response.`
