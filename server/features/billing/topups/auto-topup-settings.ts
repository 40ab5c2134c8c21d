import type { z } from 'zod'
import type { AutoTopup, autoTopupChange, TopupOffer } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { audit } from '../../account/audit.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireActive } from '../../account/require-active.ts'
import { requireManager } from '../../account/require-role.ts'
import { currencyOfCaps, priceFor } from '../account-currency.ts'
import { sayableTax } from '../plans/list-plans.ts'
import { currenciesOf, optionsOf } from '../plans/price-in.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { likelyCents } from './monthly-cap.ts'
import { creditPack } from './start-topup.ts'

const OFF: AutoTopup = {
  enabled: false,
  threshold: 1_000,
  packs: 1,
  monthlyCapCents: null,
  suspended: null,
  actionUrl: null,
}

/** The pack on sale and the account's rule for automatic top-ups. */
export async function readTopupOffer(db: Queryable, accountId: number, taxed: boolean): Promise<TopupOffer> {
  const pack = await creditPack(db)
  return {
    pack: pack
      ? {
          name: pack.name,
          credits: pack.credits,
          price: pack.price_cents,
          currency: pack.currency,
          ...(taxed && { tax_behavior: sayableTax(pack.tax_behavior) }),
          ...(currenciesOf(pack).length > 1 && {
            prices: Object.fromEntries(
              Object.entries(optionsOf(pack)).map(([currency, one]) => [currency, one.priceCents]),
            ),
          }),
        }
      : null,
    autoTopup: await readAutoTopup(db, accountId),
  }
}

/**
 * Sets the rule: below `threshold` credits, buy `packs` with the saved card, up to `monthlyCapCents` per calendar
 * month. Also lifts a suspension. Owners and admins only. Throws forbidden, billing_unavailable, invalid_parameter when
 * the cap is lower than one top-up, or when credits are not sold in the account's currency, and, unless it
 * only switches off, account_suspended and conflict while the account is being deleted.
 */
export async function setAutoTopup(
  { actor, deps }: UserContext,
  change: z.output<typeof autoTopupChange>,
): Promise<AutoTopup> {
  requireManager(actor)
  const { taxes } = requireStripe(deps)
  const db = deps.db.kysely
  const offered = await creditPack(db)
  const pack = offered && change.enabled ? await priceFor(db, actor.accountId, offered, undefined) : offered
  const price = pack?.price_cents ?? 0
  const each = taxes === 'off' ? price : await likelyCents(db, actor.accountId, price)
  const cents = change.packs * each
  if (pack && change.enabled && change.monthlyCapCents !== null && change.monthlyCapCents < cents)
    throw new AppError(
      'invalid_parameter',
      `monthlyCapCents: one top-up costs ${costText(cents, pack.currency, each > price)}, so the cap must be at least that`,
      {
        param: 'monthlyCapCents',
      },
    )
  const row = {
    enabled: change.enabled,
    threshold: change.threshold,
    packs: change.packs,
    monthly_cap_cents: change.monthlyCapCents,
    currency: await currencyOfCaps(db, actor.accountId, pack?.currency),
    failures: 0,
    retry_at: null,
    suspended_reason: null,
    suspended_card: null,
  }
  return deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, actor.accountId)
    if (change.enabled) await requireActive(tx, { actor, deps })
    await tx
      .insertInto('auto_topups')
      .values({ account_id: actor.accountId, ...row })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
      .execute()
    await audit(tx, {
      accountId: actor.accountId,
      actor,
      action: 'auto_topup.changed',
      detail: { ...change, ...(pack && pack.currency !== 'usd' && { currency: pack.currency }) },
    })
    return readAutoTopup(tx, actor.accountId)
  })
}

function costText(cents: number, currency: string, withTax: boolean): string {
  if (withTax) return `${formatMoney(cents, currency, true)} with tax`
  return currency === 'usd' ? `${cents} cents` : formatMoney(cents, currency)
}

async function readAutoTopup(db: Queryable, accountId: number): Promise<AutoTopup> {
  const row = await db.selectFrom('auto_topups').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  if (!row) return OFF
  const waiting = await db
    .selectFrom('topups')
    .select('action_url')
    .where('account_id', '=', accountId)
    .where('origin', '=', 'auto')
    .where('status', '=', 'open')
    .executeTakeFirst()
  return {
    enabled: row.enabled,
    threshold: row.threshold,
    packs: row.packs,
    monthlyCapCents: row.monthly_cap_cents,
    ...(row.currency !== null && { currency: row.currency }),
    suspended: row.suspended_reason,
    actionUrl: waiting?.action_url ?? null,
  }
}
