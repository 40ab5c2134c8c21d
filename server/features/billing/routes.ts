import type { FastifyInstance, FastifyRequest } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { readBalance, readBought } from '../credits/balance.ts'
import { currencyOfCaps } from './account-currency.ts'
import { readAlertWebhook, setAlertWebhook } from './alerts/alert-webhook.ts'
import { readPreferences, setPreferences } from './alerts/preferences.ts'
import { openPortal } from './checkout/open-portal.ts'
import { settleCheckouts } from './checkout/settle-checkouts.ts'
import { startCheckout } from './checkout/start-checkout.ts'
import { registerWebhook } from './events/webhook.ts'
import type { InvoiceLink } from './invoices/invoice-link.ts'
import { findInvoicePdf, listInvoices } from './invoices/list-invoices.ts'
import { readUpcomingInvoice } from './invoices/read-upcoming-invoice.ts'
import { takeFirstKey } from './plans/add-first-key.ts'
import { getPlan, listPlans } from './plans/list-plans.ts'
import { redeemFreePlan } from './plans/redeem-free-plan.ts'
import { prepareCatalog } from './plans/sync-catalog.ts'
import { drawReceipt } from './receipts/draw-receipt.ts'
import { findReceipt } from './receipts/find-receipt.ts'
import { isDrawable } from './receipts/receipt.ts'
import { RECEIPT_POLICY, receiptPage } from './receipts/receipt-page.ts'
import { sellsWithTax } from './stripe/taxes.ts'
import { readSubscription } from './subscriptions/read-subscription.ts'
import { addTaxId, removeTaxId, setBillingAddress } from './taxes/change-tax-details.ts'
import { readTaxDetails } from './taxes/read-tax-details.ts'
import { readTopupOffer, setAutoTopup } from './topups/auto-topup-settings.ts'
import { startTopup } from './topups/start-topup.ts'

/** Prepares the plan catalog, then serves plans, checkout, portal, credits, preferences, invoices and the webhook. */
export async function registerBilling(app: FastifyInstance, deps: Deps): Promise<void> {
  const db = deps.db.kysely
  const taxed = sellsWithTax(deps.stripe)
  await prepareCatalog(deps)
  serve(app, deps, routes.listPlans, async ({ ctx: { actor } }) => {
    const currency = await currencyOfCaps(db, actor.accountId, undefined)
    return { plans: await listPlans(db, actor.accountId, taxed), ...(currency && { currency }) }
  })
  serve(app, deps, routes.getPlan, async ({ ctx, input }) => ({
    plan: await getPlan(db, ctx.actor.accountId, input.params.id, taxed),
  }))
  serve(app, deps, routes.listPublicPlans, async () => ({ plans: await listPlans(db, null, taxed) }))
  serve(app, deps, routes.subscribeFreePlan, ({ ctx, input }) => redeemFreePlan(ctx, input.body.priceId))
  serve(app, deps, routes.takeFirstKey, async ({ ctx }) => ({ apiKey: await takeFirstKey(ctx) }))
  serve(app, deps, routes.startCheckout, ({ ctx, input }) => startCheckout(ctx, input.body))
  serve(app, deps, routes.openPortal, ({ ctx, input }) => openPortal(ctx, input.body.returnUrl))
  serve(app, deps, routes.getTopupOffer, async ({ ctx: { actor } }) => {
    const offer = await readTopupOffer(db, actor.accountId, taxed)
    // The page at the payment provider is the customer's: it knows nothing of a view, and outlives it.
    return actor.isView ? { ...offer, autoTopup: { ...offer.autoTopup, actionUrl: null } } : offer
  })
  serve(app, deps, routes.startTopup, ({ ctx, input }) => startTopup(ctx, input.body))
  serve(app, deps, routes.setAutoTopup, async ({ ctx, input }) => ({ autoTopup: await setAutoTopup(ctx, input.body) }))
  serve(app, deps, routes.getSubscription, async ({ ctx }) => {
    await settleCheckouts(deps, ctx.actor.accountId)
    return readSubscription(db, ctx.actor.accountId, deps.stripe?.taxes === 'rates')
  })
  serve(app, deps, routes.getCredits, async ({ ctx }) => {
    await settleCheckouts(deps, ctx.actor.accountId)
    const home = deps.db.of(ctx.actor.bucket).kysely
    return {
      credits: await readBalance(home, ctx.actor.accountId),
      bought: await readBought(home, ctx.actor.accountId),
    }
  })
  serve(app, deps, routes.getUpcomingInvoice, async ({ ctx }) => ({
    upcoming: await readUpcomingInvoice(deps, ctx.actor.accountId),
  }))
  serve(app, deps, routes.getPreferences, ({ ctx }) => readPreferences(db, ctx.actor.accountId))
  serve(app, deps, routes.setPreferences, ({ ctx, input }) => setPreferences(ctx, input.body))
  serve(app, deps, routes.getAlertWebhook, async ({ ctx }) => ({ alertWebhook: await readAlertWebhook(ctx) }))
  serve(app, deps, routes.setAlertWebhook, async ({ ctx, input }) => ({
    alertWebhook: await setAlertWebhook(ctx, input.body.url),
  }))
  serve(app, deps, routes.listInvoices, ({ ctx }) => listInvoices(deps, ctx.actor))
  serve(app, deps, routes.getTaxDetails, async ({ ctx }) => ({
    taxDetails: await readTaxDetails(db, deps, ctx.actor.accountId),
  }))
  serve(app, deps, routes.setBillingAddress, async ({ ctx, input }) => ({
    taxDetails: await setBillingAddress(ctx, input.body),
  }))
  serve(app, deps, routes.addTaxId, async ({ ctx, input }) => ({ taxDetails: await addTaxId(ctx, input.body) }))
  serve(app, deps, routes.removeTaxId, async ({ ctx, input }) => ({
    taxDetails: await removeTaxId(ctx, input.params.id),
  }))
  registerDownloads(app, deps)
  await registerWebhook(app, deps)
}

type PdfRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

const linkOf = ({ params, query: { person, expires, signature } }: PdfRequest): InvoiceLink => ({
  invoiceId: params.id.replaceAll('\0', ''),
  userId: String(person),
  expires: Number(expires),
  signature: String(signature),
})

/** What signed links open: the current PDF at Stripe, by a redirect, and our receipt. */
function registerDownloads(app: FastifyInstance, deps: Deps): void {
  const secret = { 'cache-control': 'private, no-store' }
  app.get('/billing/invoices/:id/pdf', async (request: PdfRequest, reply) =>
    reply.headers(secret).redirect(await findInvoicePdf(deps, linkOf(request)), 303),
  )
  app.get('/billing/invoices/:id/receipt', async (request: PdfRequest, reply) => {
    const receipt = await findReceipt(deps, linkOf(request))
    if (!isDrawable(receipt))
      return reply
        .headers({ ...secret, 'content-security-policy': RECEIPT_POLICY })
        .type('text/html; charset=utf-8')
        .send(receiptPage(receipt))
    const name = `receipt-${receipt.number.replaceAll(/[^\w-]/g, '')}.pdf`
    return reply
      .headers({ ...secret, 'content-disposition': `attachment; filename="${name}"` })
      .type('application/pdf')
      .send(await drawReceipt(receipt))
  })
}
