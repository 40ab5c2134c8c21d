import type { z } from 'zod'
import type { billingAddress, newTaxId, TaxDetails } from '#contract/tax-routes.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { type AuditAction, audit } from '../../account/audit.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireActive } from '../../account/require-active.ts'
import { requireManager } from '../../account/require-role.ts'
import { ensureCustomer } from '../checkout/ensure-customer.ts'
import { lockCustomer } from '../events/event-context.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { leaseOfAccount } from '../lease/take-lease.ts'
import { expireSession } from '../stripe/checkout.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { askingStripe } from '../stripe/failure.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import * as provider from '../stripe/tax-customer.ts'
import { applyTaxDetails } from './apply-tax-details.ts'
import { readTaxDetails } from './read-tax-details.ts'

/** A customer with many numbers would be a mistake, and Stripe keeps only a few. */
const MOST_TAX_IDS = 5

/**
 * Sets the billing address at the payment provider. Owners and admins only. Throws forbidden, account_suspended, conflict (taxes are
 * off here), invalid_parameter (the provider does not know the place), billing_unavailable.
 */
export async function setBillingAddress(
  ctx: UserContext,
  { name, ...address }: z.output<typeof billingAddress>,
): Promise<TaxDetails> {
  const { taxes } = allowed(ctx)
  // Pages that are open were made with the rate of the old place.
  const open = taxes === 'rates' ? await openCheckouts(ctx.deps.db.kysely, ctx.actor.accountId) : []
  return change(ctx, 'billing_address.changed', async ({ tx, stripe, customerId }) => {
    await provider.updateAddress(stripe, customerId, name, address)
    for (const { table, id, session_id } of open)
      if (await expireSession(stripe, session_id!))
        await tx.updateTable(table).set({ status: 'expired' }).where('id', '=', id).execute()
  })
}

/** Adds a tax ID. Owners and admins only. Throws as setBillingAddress, and conflict when there are five already. */
export async function addTaxId(ctx: UserContext, { type, value }: z.output<typeof newTaxId>): Promise<TaxDetails> {
  allowed(ctx)
  const known = await taxIdsOf(ctx)
  if (known.some((one) => one.value === value)) throw new AppError('conflict', 'This tax ID was already added.')
  if (known.length >= MOST_TAX_IDS)
    throw new AppError('conflict', `A workspace has at most ${MOST_TAX_IDS} tax IDs. Remove one first.`)
  return change(ctx, 'tax_id.added', ({ stripe, customerId }) => provider.addTaxId(stripe, customerId, type, value))
}

/**
 * Removes a tax ID. Owners and admins only. Throws forbidden, account_suspended, not_found, conflict (taxes are off here),
 * billing_unavailable.
 */
export async function removeTaxId(ctx: UserContext, id: string): Promise<TaxDetails> {
  allowed(ctx)
  if (!(await taxIdsOf(ctx)).some((one) => one.id === id))
    throw new AppError('not_found', 'This tax ID does not exist.')
  return change(ctx, 'tax_id.removed', ({ stripe, customerId }) => provider.removeTaxId(stripe, customerId, id))
}

/** Looked up before the change: while it runs, the provider's event of it may be applied. */
const taxIdsOf = ({ actor, deps }: UserContext) =>
  deps.db.kysely.selectFrom('tax_ids').select(['id', 'value']).where('account_id', '=', actor.accountId).execute()

function allowed({ actor, deps }: UserContext): StripeAccess {
  requireManager(actor)
  const stripe = requireStripe(deps)
  if (stripe.taxes === 'off') throw new AppError('conflict', 'No taxes are computed here.')
  return stripe
}

interface Change {
  tx: Queryable
  stripe: StripeAccess
  customerId: string
}

/** Runs one change at the payment provider, and copies what it then has. */
async function change(
  ctx: UserContext,
  action: AuditAction,
  work: (change: Change) => Promise<void>,
): Promise<TaxDetails> {
  const { actor, deps } = ctx
  const stripe = requireStripe(deps)
  return transactInLease(deps.db, leaseOfAccount(actor.accountId), async (tx) => {
    await lockAccount(tx, actor.accountId)
    await requireActive(tx, ctx)
    return askingStripe(deps.log, async () => {
      const { customerId } = await ensureCustomer(tx, stripe, ctx)
      await lockCustomer(tx, customerId)
      await work({ tx, stripe, customerId })
      await applyTaxDetails({ ...deps, tx, stripe }, customerId)
      await audit(tx, { accountId: actor.accountId, actor, action })
      return readTaxDetails(tx, deps, actor.accountId)
    })
  })
}

async function openCheckouts(db: Queryable, accountId: number) {
  const tables = ['checkouts', 'topups'] as const
  const found = tables.map(async (table) => {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'session_id'])
      .where('account_id', '=', accountId)
      .where('status', '=', 'open')
      .where('session_id', 'is not', null)
      .execute()
    return rows.map((row) => ({ table, ...row }))
  })
  return (await Promise.all(found)).flat()
}
