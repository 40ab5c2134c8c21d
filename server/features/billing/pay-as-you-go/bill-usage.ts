import { type Selectable, sql } from 'kysely'
import { stepOf } from '#contract/currency.ts'
import { enterBucket } from '../../../db/buckets.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import type { Deps } from '../../../deps.ts'
import { sumPaygUnits } from '../../usage/payg-units.ts'
import { lockCustomer } from '../events/event-context.ts'
import { applyInvoice } from '../invoices/apply-invoice.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { leaseOfCustomer } from '../lease/take-lease.ts'
import { leastOf, priceIn } from '../plans/price-in.ts'
import { fetchInvoice } from '../stripe/fetch-invoice.ts'
import { findTaxRate, type TaxBehavior } from '../stripe/taxes.ts'
import { addMinimum, billRest, releaseDraft } from '../stripe/usage.ts'
import { readAddress } from '../taxes/account-place.ts'
import { paygAmount } from './payg-amount.ts'
import { sendPaygUsage } from './send-usage.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

interface Bill {
  invoice_id: string
  account_id: number
  customer_id: string
  plan: Parameters<typeof priceIn>[0] &
    Parameters<typeof leastOf>[0] &
    Pick<Selectable<Plans>, 'tax_behavior' | 'tax_code'>
  since: Date
  period_start: Date
  period_end: Date
}

/**
 * Sends usage, then completes the drafts of pay-as-you-go periods whose last hour has closed and whose usage has all
 * reached Stripe: counts the units in our ledger, adds a line up to the minimum, and lets Stripe collect. Each invoice
 * once, however often this runs. Returns how many were completed.
 */
export async function billUsage(deps: Needs): Promise<number> {
  if (!deps.stripe) return 0
  await sendPaygUsage(deps)
  const { rows } = await sql<Bill>`
    select i.invoice_id, i.account_id, b.id as customer_id, to_jsonb(p) as plan,
      coalesce(s.anchor_at, i.period_start) as since, i.period_start, i.period_end
    from payg_invoices i join billing_customers b using (account_id) join plans p using (price_id)
    join invoices v on v.id = i.invoice_id left join subscriptions s on s.id = v.subscription_id
    where i.units is null
      and date_trunc('hour', i.period_end - interval '1 microsecond', 'UTC') <= app_now() - interval '1 hour 1 minute'
      and not exists (select from payg_hours h where h.account_id = i.account_id and h.sent_at is null and h.at < i.period_end)
    order by i.period_end`.execute(deps.db.kysely)
  let billed = 0
  for (const bill of rows) {
    await completeBill(deps, bill)
      .then(() => billed++)
      .catch((error: Error) =>
        deps.log.error({ invoice: bill.invoice_id, error: error.message }, 'could not bill usage'),
      )
  }
  return billed
}

async function completeBill({ db, log, mail, stripe, secrets, config }: Needs, bill: Bill): Promise<void> {
  if (!stripe) return
  await transactInLease(db, leaseOfCustomer(bill.customer_id), async (tx) => {
    await lockCustomer(tx, bill.customer_id)
    const { since, period_start: from, period_end: to, invoice_id: invoiceId } = bill
    await enterBucket(tx, bill.account_id)
    const units = await sumPaygUnits(tx, bill.account_id, { since, from, to })
    const facts = await fetchInvoice(stripe, invoiceId)
    const { currency } = facts
    const price = priceIn(bill.plan, currency)
    if (!price) throw new Error(`The price of this plan in ${currency} is not known.`)
    const least = leastOf({ ...bill.plan, currency })
    const { usageCents, minimumCents } = paygAmount(units, price.unit_amount_decimal ?? '0', {
      least,
      step: stepOf(currency),
    })
    const behavior = bill.plan.tax_behavior as TaxBehavior | null
    const rateId = await findTaxRate(stripe, await readAddress(tx, bill.account_id), behavior)
    const tax = { behavior, code: bill.plan.tax_code, rateId }
    const item = { invoiceId, customerId: bill.customer_id, currency, tax }
    const billedCents = facts.totalCents - facts.addedTaxCents
    let rest: string | null = null
    if (facts.status === 'draft') {
      if (minimumCents > 0 && facts.minimumCents === 0) await addMinimum(stripe, { ...item, cents: minimumCents })
      await releaseDraft(stripe, invoiceId)
    } else if (billedCents < usageCents + minimumCents) {
      // This server was down while the draft was open, so Stripe billed only the usage it had.
      const cents = usageCents + minimumCents - billedCents
      rest = await billRest(stripe, { ...item, cents })
      log.warn(
        { invoice: invoiceId, cents },
        'a usage invoice was finalized before all usage was counted; the rest is billed separately',
      )
    }
    await tx
      .updateTable('payg_invoices')
      .set({ units, usage_cents: usageCents, minimum_cents: minimumCents, least_cents: least, rest_invoice_id: rest })
      .where('invoice_id', '=', invoiceId)
      .execute()
    await applyInvoice({ tx, stripe, log, mail, secrets, config }, invoiceId)
  })
}
