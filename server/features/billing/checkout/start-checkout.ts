import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { checkoutRequest } from '#contract/billing.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import { AppError } from '../../../http/errors.ts'
import { audit } from '../../account/audit.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireActive } from '../../account/require-active.ts'
import { requireManager } from '../../account/require-role.ts'
import { requireSales } from '../../switches/switches.ts'
import { priceFor } from '../account-currency.ts'
import { inLease, transactWithStripe } from '../lease/in-lease.ts'
import { leaseOfAccount } from '../lease/take-lease.ts'
import { heldFreePlan, moveFreePlan } from '../plans/move-free-plan.ts'
import { isPayAsYouGo, trialDays } from '../plans/plan-rules.ts'
import { expireSession, openPlanCheckout } from '../stripe/checkout.ts'
import { askingStripe } from '../stripe/failure.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { refuseSecondPlan } from '../subscriptions/refuse-second-plan.ts'
import { rateOfBuyer } from '../taxes/account-place.ts'
import { ensureCustomer } from './ensure-customer.ts'
import { ownUrl } from './own-url.ts'

const BILLING_PAGE = '/dashboard/billing/'
type Request = z.output<typeof checkoutRequest>

/**
 * Opens the checkout page of a paid plan and returns its URL. Two clicks, even at the same moment, get the same page;
 * choosing another plan closes the first page. Owners and admins only. Throws forbidden, account_suspended,
 * not_found (no such plan), invalid_parameter (free plan, foreign URL, no price in the currency), conflict (a paid plan is active: it is changed in the portal),
 * billing_unavailable.
 */
export async function startCheckout(ctx: UserContext, request: Request): Promise<{ url: string }> {
  const { actor, deps } = ctx
  requireManager(actor)
  const stripe = requireStripe(deps)
  const successUrl = ownUrl(deps.config, 'successUrl', request.successUrl, `${BILLING_PAGE}?checkout=success`)
  const cancelUrl = ownUrl(deps.config, 'cancelUrl', request.cancelUrl, `${BILLING_PAGE}?checkout=cancelled`)
  return inLease(deps.db, leaseOfAccount(actor.accountId), async (lease) => {
    // Read once: closing the page brings its event, and a transaction that then sees no page would ask for a second new one.
    const open = await openAttempt(deps.db.kysely, actor.accountId)
    const held = await heldFreePlan(deps.db.kysely, actor.accountId)
    return transactWithStripe(deps.db, lease, async (tx) => {
      const offered = await paidPlan(tx, request.priceId)
      await lockAccount(tx, actor.accountId)
      await requireActive(tx, ctx)
      await requireSales(tx)
      const plan = await priceFor(tx, actor.accountId, offered, request.currency)
      await refuseSecondPlan(tx, actor.accountId, plan.price_id)
      const currency = plan.currency === offered.currency ? null : plan.currency
      const metadata = plan.metadata as Record<string, string>
      const trial = request.trial && trialDays(metadata) > 0 && !(await hadTrial(tx, actor.accountId))
      if (
        open?.url &&
        open.price_id === plan.price_id &&
        open.trial === trial &&
        open.currency === currency &&
        open.fresh
      )
        return { url: open.url }
      return askingStripe(deps.log, async () => {
        // Its event may be late or lost: opening a second page now could charge twice.
        if (open?.session_id && !(await expireSession(stripe, open.session_id)))
          throw new AppError('conflict', 'You have already paid for a plan. Reload this page to see it.')
        await tx
          .updateTable('checkouts')
          .set({ status: 'expired' })
          .where('account_id', '=', actor.accountId)
          .where('status', '=', 'open')
          .execute()
        const taxRateId = await rateOfBuyer(tx, stripe, actor.accountId, plan.tax_behavior)
        const buyer = await ensureCustomer(tx, stripe, ctx)
        await moveFreePlan(tx, ctx, stripe, { ...buyer, held }, plan.currency)
        const { id } = await tx
          .insertInto('checkouts')
          .values({ account_id: actor.accountId, price_id: plan.price_id, trial, currency })
          .returning('id')
          .executeTakeFirstOrThrow()
        const session = await openPlanCheckout(stripe, {
          attemptId: id,
          ...buyer,
          priceId: plan.price_id,
          currency,
          metered: isPayAsYouGo({ metadata }),
          trialDays: trial ? trialDays(metadata) : 0,
          taxRateId,
          successUrl,
          cancelUrl,
        })
        await tx
          .updateTable('checkouts')
          .set({ session_id: session.id, url: session.url, expires_at: session.expiresAt })
          .where('id', '=', id)
          .execute()
        await audit(tx, { accountId: actor.accountId, actor, action: 'checkout.started', target: plan.price_id })
        return { url: session.url }
      })
    })
  })
}

async function paidPlan(db: Queryable, priceId: string): Promise<Selectable<Plans>> {
  const plan = priceId.includes('\0')
    ? undefined
    : await db
        .selectFrom('plans')
        .selectAll()
        .where('price_id', '=', priceId)
        .where('active', '=', true)
        .executeTakeFirst()
  if (!plan) throw new AppError('not_found', 'This plan does not exist.')
  if (plan.type === 'free')
    throw new AppError(
      'invalid_parameter',
      `priceId: ${plan.name} is free and needs no checkout. Use subscribe-free-plan.`,
      {
        param: 'priceId',
      },
    )
  return plan
}

async function hadTrial(tx: Queryable, accountId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('plan_redemptions')
    .select('at')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'trial')
    .executeTakeFirst()
  return row !== undefined
}

/** The account's open page. `fresh`: it stays open for a few more minutes. */
const openAttempt = (tx: Queryable, accountId: number) =>
  tx
    .selectFrom('checkouts')
    .select([
      'price_id',
      'trial',
      'currency',
      'session_id',
      'url',
      sql<boolean>`expires_at > app_now() + interval '5 minutes'`.as('fresh'),
    ])
    .where('account_id', '=', accountId)
    .where('status', '=', 'open')
    .executeTakeFirst()
