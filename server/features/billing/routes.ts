import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { readBalance } from '../credits/balance.ts'
import { listInvoices } from './list-invoices.ts'
import { getPlan, listPlans } from './list-plans.ts'
import { readPreferences, setPreferences } from './preferences.ts'
import { publishPlans } from './publish-plans.ts'
import { readSubscription } from './read-subscription.ts'
import { redeemFreePlan } from './redeem-free-plan.ts'
import { seedPlans } from './seed-plans.ts'

/** Publishes the plan catalogue, then serves plans, subscription, credits, preferences and invoices. */
export async function registerBilling(app: FastifyInstance, deps: Deps): Promise<void> {
  const db = deps.db.kysely
  await publishPlans(db, seedPlans)
  serve(app, deps, routes.listPlans, async ({ ctx }) => ({ plans: await listPlans(db, ctx.actor.accountId) }))
  serve(app, deps, routes.getPlan, async ({ ctx, input }) => ({
    plan: await getPlan(db, ctx.actor.accountId, input.params.id),
  }))
  serve(app, deps, routes.listPublicPlans, async () => ({ plans: await listPlans(db, null) }))
  serve(app, deps, routes.subscribeFreePlan, ({ ctx, input }) => redeemFreePlan(ctx, input.body.priceId))
  serve(app, deps, routes.getSubscription, ({ ctx }) => readSubscription(db, ctx.actor.accountId))
  serve(app, deps, routes.getCredits, async ({ ctx }) => ({ credits: await readBalance(db, ctx.actor.accountId) }))
  serve(app, deps, routes.getPreferences, ({ ctx }) => readPreferences(db, ctx.actor.accountId))
  serve(app, deps, routes.setPreferences, ({ ctx, input }) => setPreferences(ctx, input.body))
  serve(app, deps, routes.listInvoices, ({ ctx }) => listInvoices(db, ctx.actor.accountId))
}
