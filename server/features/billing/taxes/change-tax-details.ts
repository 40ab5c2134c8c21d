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
export const setBillingAddress = (
  ctx: UserContext,
  { name, ...address }: z.output<typeof billingAddress>,
): Promise<TaxDetails> =>
  change(ctx, 'billing_address.changed', async ({ tx, stripe, customerId }) => {
    await provider.updateAddress(stripe, customerId, name, address)
    // Pages that are open were made with the rate of the old place.
    if (stripe.taxes === 'rates') await closeCheckouts(tx, stripe, ctx.actor.accountId)
  })

/** Adds a tax ID. Owners and admins only. Throws as setBillingAddress, and conflict when there are five already. */
export const addTaxId = (ctx: UserContext, { type, value }: z.output<typeof newTaxId>): Promise<TaxDetails> =>
  change(ctx, 'tax_id.added', async ({ tx, stripe, customerId }) => {
    const known = await tx.selectFrom('tax_ids').select('value').where('account_id', '=', ctx.actor.accountId).execute()
    if (known.some((one) => one.value === value)) throw new AppError('conflict', 'This tax ID was already added.')
    if (known.length >= MOST_TAX_IDS)
      throw new AppError('conflict', `A workspace has at most ${MOST_TAX_IDS} tax IDs. Remove one first.`)
    await provider.addTaxId(stripe, customerId, type, value)
  })

/** Removes a tax ID. Owners and admins only. Throws forbidden, not_found, conflict (taxes are off here), billing_unavailable. */
export const removeTaxId = (ctx: UserContext, id: string): Promise<TaxDetails> =>
  change(ctx, 'tax_id.removed', async ({ tx, stripe, customerId }) => {
    const known = await tx
      .selectFrom('tax_ids')
      .select('id')
      .where('account_id', '=', ctx.actor.accountId)
      .where('id', '=', id.replaceAll('\0', ''))
      .executeTakeFirst()
    if (!known) throw new AppError('not_found', 'This tax ID does not exist.')
    await provider.removeTaxId(stripe, customerId, known.id)
  })

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
  requireManager(actor)
  const stripe = requireStripe(deps)
  if (stripe.taxes === 'off') throw new AppError('conflict', 'No taxes are computed here.')
  return transactInLease(deps.db, leaseOfAccount(actor.accountId), async (tx) => {
    await lockAccount(tx, actor.accountId)
    await requireActive(tx, ctx)
    return askingStripe(deps.log, async () => {
      const { customerId } = await ensureCustomer(tx, stripe, ctx)
      await work({ tx, stripe, customerId })
      await applyTaxDetails({ tx, stripe }, customerId)
      await audit(tx, { accountId: actor.accountId, actor, action })
      return readTaxDetails(tx, deps, actor.accountId)
    })
  })
}

async function closeCheckouts(tx: Queryable, stripe: StripeAccess, accountId: number): Promise<void> {
  const open = await tx
    .selectFrom('checkouts')
    .select(['id', 'session_id'])
    .where('account_id', '=', accountId)
    .where('status', '=', 'open')
    .where('session_id', 'is not', null)
    .execute()
  for (const { id, session_id } of open)
    if (await expireSession(stripe, session_id!))
      await tx.updateTable('checkouts').set({ status: 'expired' }).where('id', '=', id).execute()
}
