import { type RawBuilder, sql } from 'kysely'
import { enterAllBuckets } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { checkBillingInvariants } from './billing-invariants.ts'
import { settleForgottenCheckouts } from './checkout/settle-checkouts.ts'
import { type EventContext, lockCustomer } from './events/event-context.ts'
import { findMissedEvents } from './events/find-missed-events.ts'
import { applyInvoice } from './invoices/apply-invoice.ts'
import { applyReversal } from './invoices/apply-reversal.ts'
import { grantMonths } from './invoices/grant-months.ts'
import { transactInLease } from './lease/in-lease.ts'
import { leaseOfCharge, leaseOfCustomer } from './lease/take-lease.ts'
import { billUsage } from './pay-as-you-go/bill-usage.ts'
import { compareMeter } from './pay-as-you-go/compare-meter.ts'
import { syncCatalog } from './plans/sync-catalog.ts'
import { listInvoicesSince, listRefundedChargesSince, listSubscriptions } from './stripe/list-objects.ts'
import { applySubscription } from './subscriptions/apply-subscription.ts'
import { applyTaxDetails } from './taxes/apply-tax-details.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

export interface Reconciliation {
  /** Events that no webhook delivered. */
  missedEvents: number
  /** How many Stripe objects were compared. */
  compared: number
  /** What differed and is now fixed, one line each. */
  repaired: string[]
  /** What is still wrong and needs an operator, one line each. */
  violations: string[]
}

const LOOK_BACK = sql`interval '40 days'`

/**
 * Reconciles our state with Stripe, using the same functions as events, and reports differences: missed events,
 * abandoned checkouts, every subscription, the invoices and refunds of forty days, tax IDs of customers, usage, and the totals of money and
 * credits. Changes nothing when everything matches. Safe under live traffic.
 */
export async function reconcile(deps: Needs): Promise<Reconciliation> {
  const { stripe, db } = deps
  const found: Reconciliation = { missedEvents: 0, compared: 0, repaired: [], violations: [] }
  if (stripe) {
    await syncCatalog(deps)
    found.missedEvents = await findMissedEvents(deps)
    await settleForgottenCheckouts(deps)
    const { rows } = await sql<{ since: Date }>`select app_now() - ${LOOK_BACK} as since`.execute(db.kysely)
    const since = rows[0]!.since
    for await (const { id, customerId } of listSubscriptions(stripe))
      await repair(deps, found, { name: `subscription ${id}`, customerId, state: subscriptionState(id) }, (ctx) =>
        applySubscription(ctx, id),
      )
    for await (const { id, customerId } of listInvoicesSince(stripe, since))
      await repair(deps, found, { name: `invoice ${id}`, customerId, state: invoiceState(id) }, (ctx) =>
        applyInvoice(ctx, id),
      )
    for await (const id of listRefundedChargesSince(stripe, since))
      await repair(deps, found, { name: leaseOfCharge(id), customerId: null, state: reversalState(id) }, (ctx) =>
        applyReversal(ctx, id),
      )
    if (stripe.taxes !== 'off')
      for (const customerId of await customersWithTaxDetails(db.kysely))
        await repair(
          deps,
          found,
          { name: `tax details of ${customerId}`, customerId, state: taxState(customerId) },
          (ctx) => applyTaxDetails(ctx, customerId),
        )
    await grantMonths(deps)
    await billUsage(deps)
    found.violations.push(...(await compareMeter(deps)))
  }
  for (const { invariant, detail } of [...(await checkBillingInvariants(db)), ...(await checkInvariants(db))])
    found.violations.push(`${invariant}: ${detail}`)
  return found
}

interface Compared {
  name: string
  /** Null until it is read. */
  customerId: string | null
  /** Our copy, serialized for comparison. */
  state: RawBuilder<{ state: string | null }>
}

async function repair(
  { db, log, mail, stripe, secrets, config }: Needs,
  found: Reconciliation,
  { name, customerId, state }: Compared,
  apply: (ctx: EventContext) => Promise<unknown>,
): Promise<void> {
  if (!stripe) return
  found.compared++
  try {
    const [before, after] = await transactInLease(db, customerId ? leaseOfCustomer(customerId) : name, async (tx) => {
      if (customerId) await lockCustomer(tx, customerId)
      const read = async () => {
        await enterAllBuckets(tx)
        return (await state.execute(tx)).rows[0]?.state ?? null
      }
      const held = await read()
      await apply({ tx, stripe, log, mail, secrets, config })
      return [held, await read()]
    })
    if (before !== after) found.repaired.push(`${name}: ${before ?? 'missing'} -> ${after ?? 'missing'}`)
  } catch (error) {
    found.violations.push(`${name}: ${(error as Error).message}`)
  }
}

const subscriptionState = (id: string) => sql<{ state: string | null }>`
  select concat_ws(' ', provider_status, price_id, 'until', to_char(current_period_end at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
    'ends ' || cancels_at, 'then ' || pending_price_id) as state from subscriptions where id = ${id}`

const invoiceState = (id: string) => sql<{ state: string | null }>`
  with bought as materialized (
    select 'topup' as type, topup_id::text as source from invoices where id = ${id}
    union all select 'plan_line', id from invoice_lines where invoice_id = ${id}
  ), granted as materialized (
    select coalesce(sum(g.amount), 0) as credits from credit_grants g join bought b on g.source_type = b.type and split_part(g.source_id, ':', 1) = b.source
  )
  select concat_ws(' ', i.status, i.amount_cents, 'paid', i.paid_cents, 'granted', g.credits) as state
  from invoices i cross join granted g where i.id = ${id}`

const reversalState = (id: string) => sql<{ state: string | null }>`
  select concat_ws(' ', 'returned', reversed_cents, 'voided', voided, 'spent', spent) as state from reversals where charge_id = ${id}`

/** Those whose next invoice depends on them: their tax IDs may have been refused or deleted since. */
async function customersWithTaxDetails(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from billing_customers b where exists (select from tax_ids t where t.account_id = b.account_id)
      or exists (select from subscriptions s join plans p using (price_id)
        where s.account_id = b.account_id and s.source = 'stripe' and s.ended_at is null and p.type = 'paid') order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

const taxState = (customerId: string) => sql<{ state: string | null }>`
  select concat_ws(' ', b.address ->> 'country', b.tax_location, (
    select string_agg(t.type || ' ' || t.state, ', ' order by t.id) from tax_ids t where t.account_id = b.account_id)) as state
  from billing_customers b where b.id = ${customerId}`
