import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { audit } from '../../account/audit.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireManager } from '../../account/require-role.ts'
import { salesAreStopped } from '../../switches/switches.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { leaseOfAccount } from '../lease/take-lease.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { askingStripe } from '../stripe/failure.ts'
import { configurePortal, openPortalSession, type PortalOffer } from '../stripe/portal.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import type { TaxBehavior } from '../stripe/taxes.ts'
import { ensureCustomer } from './ensure-customer.ts'
import { ownUrl } from './own-url.ts'

/**
 * Opens the billing portal (plan, cancellation, card, invoices) and returns its short-lived URL. Owners and admins
 * only. Throws forbidden, invalid_parameter (returnUrl is not ours), billing_unavailable.
 */
export async function openPortal(ctx: UserContext, returnUrl: string | undefined): Promise<{ url: string }> {
  const { actor, deps } = ctx
  requireManager(actor)
  const stripe = requireStripe(deps)
  const back = ownUrl(deps.config, 'returnUrl', returnUrl, '/dashboard/billing/')
  return transactInLease(deps.db, leaseOfAccount(actor.accountId), async (tx) => {
    await lockAccount(tx, actor.accountId)
    return askingStripe(deps.log, async () => {
      const { customerId } = await ensureCustomer(tx, stripe, ctx)
      const configurationId = await configurationOf(tx, stripe, actor.accountId)
      const url = await openPortalSession(stripe, { customerId, configurationId, returnUrl: back })
      await audit(tx, { accountId: actor.accountId, actor, action: 'portal.opened' })
      return { url }
    })
  })
}

/** The plans that a customer may change to in the portal: all that have a fixed price, those whose prices are of one behavior, or none. */
type Offer = 'all' | 'none' | TaxBehavior

/**
 * The portal configuration of an offer, updated when the catalog or the switch for sales has changed. Each offer has its own, so a page
 * that is open never changes because another customer opens theirs.
 */
async function configurationOf(tx: Queryable, stripe: StripeAccess, accountId: number): Promise<string> {
  const offer = stripe.taxes === 'off' ? 'all' : await offerFor(tx, stripe, accountId)
  const prices = (await salesAreStopped(tx)) ? [] : await pricesOf(tx, offer)
  const print = createHash('sha256')
    .update(JSON.stringify(stripe.taxes === 'off' ? prices : { offers: prices, taxes: true }))
    .digest('hex')
  const kept = await tx
    .selectFrom('portal_configurations')
    .select(['id', 'print'])
    .where('offer', '=', offer)
    .executeTakeFirst()
  if (kept?.print === print) return kept.id
  const id = await configurePortal(stripe, kept?.id ?? null, prices)
  await tx
    .insertInto('portal_configurations')
    .values({ offer, id, print })
    .onConflict((conflict) => conflict.column('offer').doUpdateSet({ id, print }))
    .execute()
  return id
}

/**
 * Fixed-price plans only. Not the free plan, since a customer without a card must not slide into a paid one; not
 * pay-as-you-go, since its usage cannot be prorated.
 */
async function pricesOf(tx: Queryable, offer: Offer): Promise<PortalOffer[]> {
  if (offer === 'none') return []
  const rows = await tx
    .selectFrom('plans')
    .select(['product_id', 'price_id'])
    .where('active', '=', true)
    .where('price_cents', '>', 0)
    .$if(offer !== 'all', (query) => query.where(saidBehavior, '=', offer as TaxBehavior))
    .orderBy('position')
    .execute()
  const products = [...new Set(rows.map((row) => row.product_id))]
  return products.map((productId) => ({
    productId,
    priceIds: rows.filter((row) => row.product_id === productId).map((row) => row.price_id),
  }))
}

/** A price that says nothing of tax is sold with tax on top. */
const saidBehavior = sql<TaxBehavior>`coalesce(plans.tax_behavior, 'exclusive')`

/**
 * With taxes. A free plan bears none, and would bear none after a change to a paid one: that is bought on the payment page. The operator's
 * own rates are of one behavior, and Stripe refuses to change a subscription with such a rate to a price of the other.
 */
async function offerFor(tx: Queryable, { taxes }: StripeAccess, accountId: number): Promise<Offer> {
  const held = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans', 'plans.price_id', 's.price_id')
    .select(saidBehavior.as('behavior'))
    .where('s.account_id', '=', accountId)
    .where('plans.type', '=', 'paid')
    .where('s.ended_at', 'is', null)
    .executeTakeFirst()
  if (!held) return 'none'
  return taxes === 'rates' ? held.behavior : 'all'
}
