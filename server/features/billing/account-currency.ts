import { sql } from 'kysely'
import { listCurrencies } from '#contract/currency.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { currenciesOf, heldCurrency, type Priced, priceIn } from './plans/price-in.ts'

interface AccountCurrency {
  /** Null: the account has not paid yet. */
  currency: string | null
  /** The paid plan that has not ended, and so fixes the currency. */
  plan: string | null
}

/** What an account pays in: the currency of its paid plan, or else of its last purchase. */
export async function accountCurrency(db: Queryable, accountId: number): Promise<AccountCurrency> {
  const { rows } = await sql<AccountCurrency>`
    select coalesce(held.currency, b.currency) as currency, held.plan
    from (select ${accountId}::bigint as account_id) a left join billing_customers b using (account_id)
    left join lateral (select ${heldCurrency} as currency, p.name as plan from subscriptions s join plans p using (price_id)
      where s.account_id = a.account_id and p.type = 'paid' and s.status in ('active', 'past_due', 'unpaid', 'paused', 'incomplete')
      order by s.status = 'active' desc, s.anchor_at desc limit 1) held on true`.execute(db)
  return rows[0]!
}

/** Notes what an account has just paid in. A plan that has not ended decides. */
export async function noteCurrency(tx: Queryable, accountId: number, currency: string): Promise<void> {
  const { plan, currency: held } = await accountCurrency(tx, accountId)
  await tx
    .updateTable('billing_customers')
    .set({ currency: plan === null ? currency : held })
    .where('account_id', '=', accountId)
    .execute()
}

/** The currency of amounts that an account sets, such as caps; null where only one is sold. `own`: before its first payment. */
export async function currencyOfCaps(
  db: Queryable,
  accountId: number,
  own: string | undefined,
): Promise<string | null> {
  if ((await soldCurrencies(db)).length < 2) return null
  return (await accountCurrency(db, accountId)).currency ?? own ?? null
}

/** Every currency in which something is sold. */
export async function soldCurrencies(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ currency: string }>`
    with sold as (
      select currency, currency_options from plans where active and type = 'paid'
      union all select currency, currency_options from credit_packs where active)
    select currency from sold
    union select key from sold, jsonb_each(currency_options) where value ->> 'ended' is null order by 1`.execute(db)
  return rows.map(({ currency }) => currency)
}

/**
 * A plan or a pack at the price that an account pays. `asked`: the currency that the customer chose. Throws invalid_parameter when it
 * has no price in that currency, and conflict when the account has a plan in another one.
 */
export async function priceFor<P extends Priced & { name: string }>(
  db: Queryable,
  accountId: number,
  price: P,
  asked: string | undefined,
): Promise<P> {
  const held = await accountCurrency(db, accountId)
  if (held.plan !== null && asked !== undefined && asked !== held.currency)
    throw new AppError(
      'conflict',
      `${held.plan} is billed in ${upper(held.currency)}, and so is everything else. ${otherCurrency(held.plan)}`,
    )
  const sold = currenciesOf(price)
  // Where there is one currency, nothing was chosen before either.
  const wanted = asked ?? (held.plan === null && sold.length === 1 ? null : held.currency) ?? price.currency
  const found = sold.includes(wanted) ? priceIn(price, wanted) : null
  if (found) return found
  const missing = `${price.name} is not sold in ${upper(wanted)}.`
  throw held.plan !== null
    ? new AppError('conflict', `${missing} ${otherCurrency(held.plan)}`)
    : new AppError('invalid_parameter', `currency: ${missing} Choose ${listCurrencies(sold, 'or')}.`, {
        param: 'currency',
      })
}

const otherCurrency = (plan: string): string =>
  `To pay in another currency, cancel ${plan} under Manage Billing. Once it has ended, you can choose one.`

const upper = (currency: string | null): string => (currency ?? '').toUpperCase()
