import type { Selectable } from 'kysely'
import type { UpcomingInvoice } from '#contract/billing.ts'
import { stepOf } from '#contract/currency.ts'
import { homeOf } from '../../../db/buckets.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import type { Deps } from '../../../deps.ts'
import { sumPaygUnits } from '../../usage/payg-units.ts'
import { paygAmount } from '../pay-as-you-go/payg-amount.ts'
import { isPayAsYouGo } from '../plans/plan-rules.ts'
import { heldCurrency, heldUnitAmount, leastOf } from '../plans/price-in.ts'
import { askingStripe } from '../stripe/failure.ts'
import { previewInvoice } from '../stripe/preview-invoice.ts'

/**
 * A preview of the next invoice; null when nothing will be charged. Fixed prices come from Stripe's preview,
 * pay-as-you-go from our ledger, which Stripe follows hourly. Throws billing_unavailable.
 */
export async function readUpcomingInvoice(
  { db, log, stripe }: Pick<Deps, 'db' | 'log' | 'stripe'>,
  accountId: number,
): Promise<UpcomingInvoice | null> {
  const plan = await db.kysely
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .innerJoin('billing_customers as b', 'b.account_id', 's.account_id')
    .select([
      's.id',
      's.anchor_at',
      's.current_period_start',
      's.current_period_end',
      's.cancels_at',
      'b.id as customer',
    ])
    .select(['p.name', 'p.metadata', 'p.tax_behavior'])
    .select([heldCurrency.as('currency'), heldUnitAmount.as('unit_amount_decimal')])
    .where('s.account_id', '=', accountId)
    .where('s.source', '=', 'stripe')
    .where('s.status', 'in', ['active', 'past_due'])
    .where('p.type', '=', 'paid')
    .executeTakeFirst()
  if (!plan || !stripe) return null
  if (isPayAsYouGo({ metadata: plan.metadata as Record<string, string> })) {
    const units = await sumPaygUnits((await homeOf(db, accountId)).kysely, accountId, {
      since: plan.anchor_at,
      from: plan.current_period_start,
      to: plan.current_period_end,
    })
    return {
      ...paygInvoice(plan, units),
      ...(stripe.taxes !== 'off' && plan.tax_behavior !== 'inclusive' && { tax_added: true }),
    }
  }
  if (plan.cancels_at !== null && plan.cancels_at <= plan.current_period_end) return null
  const preview = await askingStripe(log, () => previewInvoice(stripe, plan.customer, plan.id))
  return preview && { ...preview, at: plan.current_period_end.toISOString() }
}

interface PaygPlan {
  name: string
  metadata: Selectable<Plans>['metadata']
  currency: string
  unit_amount_decimal: string | null
  current_period_end: Date
}

function paygInvoice(plan: PaygPlan, units: number): UpcomingInvoice {
  const { usageCents, minimumCents } = paygAmount(units, plan.unit_amount_decimal ?? '0', {
    least: leastOf(plan),
    step: stepOf(plan.currency),
  })
  const usage = { description: `${plan.name}: ${units.toLocaleString('en-US')} requests`, amount: usageCents }
  const minimum = { description: 'To the monthly minimum', amount: minimumCents }
  return {
    at: plan.current_period_end.toISOString(),
    amount: usageCents + minimumCents,
    currency: plan.currency,
    lines: minimumCents > 0 ? [usage, minimum] : [usage],
  }
}
