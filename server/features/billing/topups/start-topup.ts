import { sql } from 'kysely'
import type { z } from 'zod'
import type { topupRequest } from '#contract/billing.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { audit } from '../../account/audit.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireActive } from '../../account/require-active.ts'
import { requireManager } from '../../account/require-role.ts'
import { requireSales } from '../../switches/switches.ts'
import { priceFor } from '../account-currency.ts'
import { ensureCustomer } from '../checkout/ensure-customer.ts'
import { ownUrl } from '../checkout/own-url.ts'
import { inLease, transactWithStripe } from '../lease/in-lease.ts'
import { leaseOfAccount } from '../lease/take-lease.ts'
import { heldFreePlan, moveFreePlan } from '../plans/move-free-plan.ts'
import { openTopupCheckout } from '../stripe/checkout.ts'
import { askingStripe } from '../stripe/failure.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { rateOfBuyer } from '../taxes/account-place.ts'

const BILLING_PAGE = '/dashboard/billing/'

/**
 * Opens the checkout page of credit packs and returns its URL. The same `requestId` always returns the same page.
 * Owners and admins only. Throws forbidden, account_suspended, invalid_parameter (also a currency in which the pack is not sold), not_found (no
 * pack is sold), conflict (the request was completed or used with other packs, or the plan is in another currency), billing_unavailable.
 */
export async function startTopup(ctx: UserContext, request: z.output<typeof topupRequest>): Promise<{ url: string }> {
  const { actor, deps } = ctx
  requireManager(actor)
  const stripe = requireStripe(deps)
  const successUrl = ownUrl(deps.config, 'successUrl', request.successUrl, `${BILLING_PAGE}?topup=success`)
  const cancelUrl = ownUrl(deps.config, 'cancelUrl', request.cancelUrl, `${BILLING_PAGE}?topup=cancelled`)
  // Stripe is told the purchase's id, so it is the same in each run.
  const id = await nextTopupId(deps.db.kysely)
  return inLease(deps.db, leaseOfAccount(actor.accountId), async (lease) => {
    const held = await heldFreePlan(deps.db.kysely, actor.accountId)
    return transactWithStripe(deps.db, lease, async (tx) => {
      await lockAccount(tx, actor.accountId)
      await requireActive(tx, ctx)
      await requireSales(tx)
      const offered = await creditPack(tx)
      if (!offered) throw new AppError('not_found', 'Credits are currently not for sale.')
      const pack = await priceFor(tx, actor.accountId, offered, request.currency)
      const made = await openTopup(tx, ctx, request, { ...pack, topupId: id })
      if (made.url !== null) return { url: made.url }
      return askingStripe(deps.log, async () => {
        const taxRateId = await rateOfBuyer(tx, stripe, actor.accountId, pack.tax_behavior)
        const buyer = await ensureCustomer(tx, stripe, ctx)
        await moveFreePlan(tx, ctx, stripe, { ...buyer, held }, pack.currency)
        const session = await openTopupCheckout(stripe, {
          topupId: made.id,
          ...buyer,
          priceId: pack.price_id,
          currency: pack.currency === offered.currency ? null : pack.currency,
          packs: request.packs,
          saveCard: request.saveCard,
          taxRateId,
          successUrl,
          cancelUrl,
        })
        await tx
          .updateTable('topups')
          .set({ session_id: session.id, url: session.url })
          .where('id', '=', made.id)
          .execute()
        await audit(tx, {
          accountId: actor.accountId,
          actor,
          action: 'topup.started',
          detail: { packs: request.packs },
        })
        return { url: session.url }
      })
    })
  })
}

/** The pack on sale: the cheapest one. */
export const creditPack = (db: Queryable) =>
  db.selectFrom('credit_packs').selectAll().where('active', '=', true).orderBy('price_cents').executeTakeFirst()

const nextTopupId = async (db: Queryable): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('topups', 'id')) as id`.execute(db)
  return rows[0]!.id
}

interface Pack {
  topupId: number
  price_cents: number
  currency: string
  credits: number
}

async function openTopup(
  tx: Queryable,
  { actor }: UserContext,
  { packs, requestId }: z.output<typeof topupRequest>,
  pack: Pack,
): Promise<{ id: number; url: string | null }> {
  const cents = packs * pack.price_cents
  if (requestId !== undefined) {
    const known = await tx
      .selectFrom('topups')
      .select([
        'id',
        'url',
        'status',
        'cents',
        'currency',
        sql<boolean>`created_at > app_now() - interval '23 hours'`.as('fresh'),
      ])
      .where('account_id', '=', actor.accountId)
      .where('request_id', '=', requestId)
      .executeTakeFirst()
    if (
      known &&
      (known.status !== 'open' ||
        known.cents !== cents ||
        (known.currency ?? pack.currency) !== pack.currency ||
        !known.fresh)
    )
      throw new AppError('conflict', 'This requestId was already used. Choose a new one to buy again.', {
        param: 'requestId',
      })
    if (known) return known
  }
  const { rows } = await sql<{ id: number; url: string | null }>`
    insert into topups (id, account_id, origin, cents, currency, credits, request_id) overriding system value
    values (${pack.topupId}, ${actor.accountId}, 'checkout', ${cents}, ${pack.currency}, ${packs * pack.credits}, ${requestId ?? null})
    returning id, url`.execute(tx)
  return rows[0]!
}
