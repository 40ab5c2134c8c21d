import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { accountOfCustomer, type EventContext } from '../events/event-context.ts'
import { notifyManagers } from '../notify-managers.ts'
import { type Address, fetchTaxCustomer, type TaxCustomer } from '../stripe/tax-customer.ts'
import { findTaxRate, resumeTax, setSubscriptionRate, type TaxBehavior } from '../stripe/taxes.ts'
import { hasTaxLocation } from './account-place.ts'

type Needs = Pick<EventContext, 'tx' | 'stripe' | 'mail' | 'log' | 'config'>

/**
 * Syncs our copy of a customer's address and tax IDs with Stripe. With a place that can be taxed, what stopped for lack of one
 * goes on: automatic top-ups, and the tax of subscriptions. Safe to repeat.
 */
export async function applyTaxDetails(ctx: Needs, customerId: string): Promise<void> {
  const { tx, stripe } = ctx
  const accountId = stripe.taxes === 'off' ? null : await accountOfCustomer(tx, customerId)
  if (accountId === null) return
  const facts = await fetchTaxCustomer(stripe, customerId)
  if (!facts) return
  const { address: before } = await tx
    .selectFrom('billing_customers')
    .select('address')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  await copy(tx, accountId, facts)
  await tellUnverified(ctx, accountId, facts)
  if (!hasTaxLocation(stripe, facts)) return
  await tx
    .updateTable('auto_topups')
    .set({ failures: 0, retry_at: null, suspended_reason: null, suspended_card: null })
    .where('account_id', '=', accountId)
    .where('suspended_reason', '=', 'no_location')
    .execute()
  const moved = isElsewhere(before as Address | null, facts.address)
  for (const { id, tax_off, tax_behavior } of await paidSubscriptions(tx, accountId)) {
    if (stripe.taxes === 'stripe' && tax_off !== null) await resumeTax(stripe, id)
    if (stripe.taxes === 'rates' && moved)
      await setSubscriptionRate(
        stripe,
        id,
        await findTaxRate(stripe, facts.address, tax_behavior as TaxBehavior | null),
      )
  }
}

/** Owners and admins are asked once about a number that the register does not know. */
async function tellUnverified(ctx: Needs, accountId: number, { taxIds }: TaxCustomer): Promise<void> {
  for (const { id, value, state } of taxIds)
    if (state === 'unverified')
      await notifyManagers(ctx.tx, ctx, {
        accountId,
        kind: 'tax_id.unverified',
        ref: id,
        subject: 'Your tax ID could not be verified',
        content: {
          heading: 'Your tax ID could not be verified',
          paragraphs: [
            `The register does not know the tax ID ${value}. It still appears on your invoices, and your tax office may refuse them.`,
            'Check the number for typos. If it is wrong or has ended, remove it and add the right one.',
          ],
          action: { label: 'Open billing', url: `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
        },
      })
}

const isElsewhere = (one: Address | null, other: Address | null): boolean =>
  one?.country !== other?.country || one?.state !== other?.state

async function copy(tx: Queryable, accountId: number, { name, address, location, taxIds }: TaxCustomer): Promise<void> {
  await tx
    .updateTable('billing_customers')
    .set({ name, address: address && JSON.stringify(address), tax_location: location })
    .where('account_id', '=', accountId)
    .execute()
  await tx
    .deleteFrom('tax_ids')
    .where('account_id', '=', accountId)
    .where('id', 'not in', ['', ...taxIds.map(({ id }) => id)])
    .execute()
  for (const { id, ...row } of taxIds)
    await tx
      .insertInto('tax_ids')
      .values({ id, account_id: accountId, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
}

async function paidSubscriptions(tx: Queryable, accountId: number) {
  const { rows } = await sql<{ id: string; tax_off: string | null; tax_behavior: string | null }>`
    select s.id, s.tax_off, p.tax_behavior from subscriptions s join plans p using (price_id)
    where s.account_id = ${accountId} and s.source = 'stripe' and s.ended_at is null and p.type = 'paid' order by s.id`.execute(
    tx,
  )
  return rows
}
