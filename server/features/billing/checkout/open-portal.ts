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

/** The portal configuration, updated when the catalog or the switch for sales has changed. */
async function configurationOf(tx: Queryable, stripe: StripeAccess, accountId: number): Promise<string> {
  const behavior = stripe.taxes === 'rates' ? await heldTaxBehavior(tx, accountId) : null
  const offers = (await salesAreStopped(tx)) ? [] : await offersOf(tx, behavior)
  const print = createHash('sha256')
    .update(JSON.stringify(stripe.taxes === 'off' ? offers : { offers, taxes: true }))
    .digest('hex')
  const kept = await tx
    .selectFrom('billing_settings')
    .select(['portal_configuration_id as id', 'portal_print as print'])
    .executeTakeFirstOrThrow()
  if (kept.id !== null && kept.print === print) return kept.id
  const id = await configurePortal(stripe, kept.id, offers)
  await tx.updateTable('billing_settings').set({ portal_configuration_id: id, portal_print: print }).execute()
  return id
}

/**
 * Fixed-price plans only. Not the free plan, since a customer without a card must not slide into a paid one; not
 * pay-as-you-go, since its usage cannot be prorated. `behavior`: only with prices of it.
 */
async function offersOf(tx: Queryable, behavior: TaxBehavior | null): Promise<PortalOffer[]> {
  const rows = await tx
    .selectFrom('plans')
    .select(['product_id', 'price_id'])
    .where('active', '=', true)
    .where('price_cents', '>', 0)
    .$if(behavior !== null, (query) => query.where(saidBehavior, '=', behavior))
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
 * Of the paid plan that an account has. The operator's own rates are of one behavior, and Stripe refuses to change a subscription with
 * such a rate to a price of the other. There is one configuration: a page that is open while another customer with other prices
 * opens theirs may offer such a change, which Stripe then refuses.
 */
async function heldTaxBehavior(tx: Queryable, accountId: number): Promise<TaxBehavior | null> {
  const held = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans', 'plans.price_id', 's.price_id')
    .select(saidBehavior.as('behavior'))
    .where('s.account_id', '=', accountId)
    .where('plans.type', '=', 'paid')
    .where('s.ended_at', 'is', null)
    .executeTakeFirst()
  return held?.behavior ?? null
}
