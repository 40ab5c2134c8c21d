import { sql } from 'kysely'
import { enterBucket, sumOfBuckets } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { salesAreStopped } from '../../switches/switches.ts'
import { accountCurrency } from '../account-currency.ts'
import { priceIn } from '../plans/price-in.ts'
import { chargeTopup, type OpenTopup } from './charge-topup.ts'
import { suspendForCurrency } from './fail-topup.ts'
import { likelyCents, spentThisMonth, tellCapReached } from './monthly-cap.ts'
import { creditPack } from './start-topup.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

/** Attempts per account in ten minutes, whatever their outcome. */
const MOST_IN_TEN_MINUTES = 2
const MOST_PACKS = 1_000

interface Rule {
  threshold: number
  packs: number
  monthly_cap_cents: number | null
  currency: string | null
  balance: number
}

/**
 * Buys credits with the saved card for accounts below their threshold, and resumes charges that a crash or a slow bank
 * left open. Safe at any time and on several instances. Returns how many were started.
 */
export async function runAutoTopups(deps: Needs): Promise<number> {
  if (!deps.stripe) return 0
  await takeUpOpen(deps)
  return sumOfBuckets(deps.db, (db) => runInBucket(deps, db))
}

async function runInBucket(deps: Needs, db: Database): Promise<number> {
  const { rows } = await sql<{ account_id: number }>`
    with rules as materialized (
      select r.account_id, r.threshold from auto_topups r join billing_customers b using (account_id) where ${mayBuy()}
    )
    select c.account_id from rules r join credit_accounts c using (account_id) where ${isShort()} order by c.account_id`.execute(
    db.kysely,
  )
  let started = 0
  for (const { account_id: accountId } of rows) {
    const topup = await deps.db.kysely
      .transaction()
      .execute((tx) => beginTopup(tx, deps, accountId))
      .catch((error: Error) => {
        deps.log.error({ account: accountId, error: error.message }, 'could not start an automatic top-up')
        return null
      })
    if (!topup) continue
    started++
    await charge(deps, topup)
  }
  return started
}

const isShort = () => sql`c.balance < r.threshold and not c.unlimited and not c.blocked`

/** A pending payment counts as balance: an account has at most one open automatic top-up. */
const mayBuy = () => sql`r.enabled and r.suspended_reason is null and (r.retry_at is null or r.retry_at <= app_now())
  and not exists (select from topups t where t.account_id = r.account_id and t.origin = 'auto' and t.status = 'open')`

/** Records the purchase before calling Stripe; null when a limit forbids it. */
async function beginTopup(tx: Queryable, deps: Needs, accountId: number): Promise<OpenTopup | null> {
  await lockAccount(tx, accountId)
  await enterBucket(tx, accountId)
  const { rows } = await sql<Rule>`
    with r as materialized (
      select r.* from auto_topups r
      where r.account_id = ${accountId} and ${mayBuy()} and (select count(*) from topups t where t.account_id = r.account_id
        and t.origin = 'auto' and t.created_at > app_now() - interval '10 minutes') < ${MOST_IN_TEN_MINUTES}
    )
    select r.threshold, r.packs, r.monthly_cap_cents, r.currency, c.balance from r join credit_accounts c using (account_id) where ${isShort()}`.execute(
    tx,
  )
  if (await salesAreStopped(tx)) return null
  const rule = rows[0]
  const offered = await creditPack(tx)
  if (!rule || !offered) return null
  const currency = rule.currency ?? offered.currency
  const held = await accountCurrency(tx, accountId)
  const pack = priceIn(offered, currency)
  if (!pack || (held.currency ?? currency) !== currency) {
    await suspendForCurrency({ tx, ...deps }, accountId, currency, held.currency ?? currency)
    return null
  }
  const left =
    rule.monthly_cap_cents === null ? null : rule.monthly_cap_cents - (await spentThisMonth(tx, accountId, currency))
  // One payment covers the whole shortfall, up to the cap.
  const wanted = Math.max(rule.packs, Math.ceil((rule.threshold - rule.balance) / pack.credits))
  const each = await likelyCents(tx, accountId, pack.price_cents)
  const packs = Math.min(wanted, MOST_PACKS, left === null ? MOST_PACKS : Math.floor(left / each))
  if (packs < 1) {
    await tellCapReached(tx, deps, accountId)
    return null
  }
  const { id } = await tx
    .insertInto('topups')
    .values({
      account_id: accountId,
      origin: 'auto',
      cents: packs * pack.price_cents,
      currency,
      credits: packs * pack.credits,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, accountId }
}

/** Charges that were started a while ago and are still open, and those that wait for the customer or the bank. */
async function takeUpOpen(deps: Needs): Promise<void> {
  const { rows } = await sql<OpenTopup>`
    select id, account_id as "accountId" from topups where origin = 'auto' and status = 'open'
      and created_at < app_now() - interval '2 minutes' order by id`.execute(deps.db.kysely)
  for (const topup of rows) await charge(deps, topup)
}

const charge = (deps: Needs, topup: OpenTopup) =>
  chargeTopup(deps, topup).catch((error: Error) =>
    deps.log.error({ topup: topup.id, error: error.message }, 'an automatic top-up is left for the next run'),
  )
