import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Subscription } from '#contract/billing.ts'
import type { ApiKey } from '#contract/keys.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import { AppError } from '../../../http/errors.ts'
import { audit } from '../../account/audit.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireActive } from '../../account/require-active.ts'
import { requireManager } from '../../account/require-role.ts'
import { setCreditState } from '../../credits/account-state.ts'
import { addKey, countKeys, newKeyOf } from '../../keys/create.ts'
import { presentNewKey } from '../../keys/present-new-key.ts'
import { accountCurrency } from '../account-currency.ts'
import { ensureCustomer } from '../checkout/ensure-customer.ts'
import { lockCustomer } from '../events/event-context.ts'
import { applyInvoice } from '../invoices/apply-invoice.ts'
import { inLease, transactWithStripe } from '../lease/in-lease.ts'
import { leaseOfAccount } from '../lease/take-lease.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { askingStripe } from '../stripe/failure.ts'
import { createFreeSubscription } from '../stripe/subscriptions.ts'
import { applySubscription } from '../subscriptions/apply-subscription.ts'
import { ENDED, readSubscription } from '../subscriptions/read-subscription.ts'
import { refuseSecondPlan } from '../subscriptions/refuse-second-plan.ts'
import { FIRST_KEY_NAME } from './add-first-key.ts'
import { grantFreePeriod } from './grant-free-period.ts'
import { appNow, planPeriod } from './plan-period.ts'
import { isUnlimited } from './plan-rules.ts'
import { currenciesOf } from './price-in.ts'
import { ownerMailbox, refuseTakenMailbox } from './refuse-taken-mailbox.ts'

/**
 * Redeems the free plan: subscription, the month's credits, and a key if there is none, all or nothing; the response
 * contains that key in full. A repeat, even a concurrent one, returns `alreadySubscribed: true` and changes nothing. Accounts whose free plan ended can redeem it
 * again: the months continue as originally counted, so no month is granted twice. Owners and admins only. Throws
 * forbidden, account_suspended, not_found (no such plan), invalid_parameter (not a free plan), conflict (a paid plan is
 * active, or the mailbox of the owner has had a free plan), billing_unavailable.
 */
export async function redeemFreePlan(
  ctx: UserContext,
  priceId?: string,
): Promise<{ alreadySubscribed: boolean; subscription: Subscription | null; firstKey: ApiKey | null }> {
  const { actor, deps } = ctx
  requireManager(actor)
  return inLease(deps.db, leaseOfAccount(actor.accountId), async (lease) => {
    // Read once: the new subscription brings its event, and a transaction that then sees it would make no key.
    const before = await lastFreePlan(deps.db.kysely, actor.accountId)
    const alreadySubscribed = before
      ? !ENDED.includes(before.status)
      : await hasRedeemed(deps.db.kysely, actor.accountId)
    return transactWithStripe(deps.db, lease, async (tx) => {
      const plan = await freePlan(tx, priceId)
      await lockAccount(tx, actor.accountId)
      await refuseSecondPlan(tx, actor.accountId, plan.price_id)
      let firstKey: ApiKey | null = null
      if (!alreadySubscribed) {
        await requireActive(tx, ctx)
        if (!before && deps.config.FREE_PLAN_PER_MAILBOX === 'on') await refuseTakenMailbox(tx, actor.accountId)
        const { stripe } = deps
        const id = stripe
          ? await askingStripe(deps.log, () => subscribeAtStripe(tx, ctx, stripe, plan, before))
          : await subscribeHere(tx, actor.accountId, plan, before)
        await tx
          .insertInto('plan_redemptions')
          .values({
            account_id: actor.accountId,
            kind: 'free',
            source_id: id,
            mailbox_hash: (await ownerMailbox(tx, actor.accountId))?.hash ?? null,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        if ((await countKeys(tx, actor.accountId)) === 0)
          firstKey = await presentNewKey(tx, actor.accountId, await addKey(tx, newKeyOf(ctx), FIRST_KEY_NAME))
        await audit(tx, { accountId: actor.accountId, actor, action: 'plan.redeemed', target: plan.price_id })
      }
      const { subscription } = await readSubscription(tx, actor.accountId)
      return { alreadySubscribed, subscription, firstKey }
    })
  })
}

/** A $0 subscription, which needs no card and renews monthly. Returns its id. */
async function subscribeAtStripe(
  tx: Queryable,
  ctx: UserContext,
  stripe: StripeAccess,
  plan: Selectable<Plans>,
  before: FreePlan | undefined,
): Promise<string> {
  const buyer = await ensureCustomer(tx, stripe, ctx)
  // Before the subscription is made: otherwise its events take the lease first, and the person waits for them.
  await lockCustomer(tx, buyer.customerId)
  const { currency } = await accountCurrency(tx, ctx.actor.accountId)
  const isOther = currency !== null && currency !== plan.currency && currenciesOf(plan).includes(currency)
  const id = await createFreeSubscription(stripe, {
    ...buyer,
    priceId: plan.price_id,
    currency: isOther ? currency : null,
    ...(before && { after: before.id }),
    renewsAt: before ? await endOfMonth(tx, before) : null,
  })
  const { log, mail, secrets, config } = ctx.deps
  const eventContext = { tx, stripe, log, mail, secrets, config }
  const facts = await applySubscription(eventContext, id)
  if (facts?.latestInvoiceId) await applyInvoice(eventContext, facts.latestInvoiceId)
  return id
}

/** When the current month ends, counted from the earlier plan's anchor; null if a month from now ends sooner. */
export async function endOfMonth(tx: Queryable, { anchor }: Pick<FreePlan, 'anchor'>): Promise<Date | null> {
  const now = await appNow(tx)
  const { end } = await planPeriod(tx, anchor, now)
  // Stripe rejects a first period longer than its own month. After a start on the 31st, that can happen in a shorter
  // month.
  return end < (await planPeriod(tx, now, now)).end ? end : null
}

interface FreePlan {
  id: string
  status: string
  anchor: Date
}

/** The account's latest subscription of a free plan. */
async function lastFreePlan(db: Queryable, accountId: number): Promise<FreePlan | undefined> {
  return db
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .select(['s.id', 's.status', 's.anchor_at as anchor'])
    .where('s.account_id', '=', accountId)
    .where('p.type', '=', 'free')
    .orderBy('s.ended_at', (order) => order.desc().nullsFirst())
    .executeTakeFirst()
}

async function freePlan(db: Queryable, priceId: string | undefined): Promise<Selectable<Plans>> {
  const active = db.selectFrom('plans').selectAll().where('active', '=', true).orderBy('position')
  if (priceId === undefined) {
    const plan = await active.where('type', '=', 'free').executeTakeFirst()
    if (!plan) throw new AppError('not_found', 'There is currently no free plan.')
    return plan
  }
  const plan = priceId.includes('\0') ? undefined : await active.where('price_id', '=', priceId).executeTakeFirst()
  if (!plan) throw new AppError('not_found', 'This plan does not exist.')
  if (plan.type !== 'free')
    throw new AppError('invalid_parameter', `priceId: ${plan.name} is not a free plan.`, { param: 'priceId' })
  return plan
}

async function hasRedeemed(db: Queryable, accountId: number): Promise<boolean> {
  const found = await db
    .selectFrom('plan_redemptions')
    .select('source_id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'free')
    .executeTakeFirst()
  return found !== undefined
}

/** Without a payment provider: a local subscription, which a job renews. Returns its id. */
async function subscribeHere(
  tx: Queryable,
  accountId: number,
  plan: Selectable<Plans>,
  before: FreePlan | undefined,
): Promise<string> {
  const now = await appNow(tx)
  const anchor = before?.anchor ?? now
  const period = await planPeriod(tx, anchor, now)
  const values = {
    price_id: plan.price_id,
    status: 'active',
    ended_at: null,
    anchor_at: anchor,
    current_period_start: period.start,
    current_period_end: period.end,
  }
  const { id } = await tx
    .insertInto('subscriptions')
    .values({ id: `sub_free_${randomUUID().replaceAll('-', '')}`, account_id: accountId, source: 'free', ...values })
    // There is one such row for an account.
    .onConflict((conflict) => conflict.column('account_id').where('source', '=', 'free').doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow()
  await grantFreePeriod(tx, accountId, plan.credits, period)
  if (isUnlimited(plan)) await setCreditState(tx, accountId, { unlimited: true })
  return id
}
