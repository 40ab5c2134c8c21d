import type { Selectable } from 'kysely'
import type { Plan } from '#contract/billing.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import { AppError } from '../../../http/errors.ts'
import { annualCents, isPayAsYouGo, isUnlimited, namedCredits } from './plan-rules.ts'
import { currenciesOf, optionsOf } from './price-in.ts'

/**
 * The active plans in catalog order. `accountId` (null: a visitor) decides which one is current. `taxed`: they say how their prices
 * and tax go together.
 */
export async function listPlans(db: Queryable, accountId: number | null, taxed: boolean): Promise<Plan[]> {
  const rows = await db.selectFrom('plans').selectAll().where('active', '=', true).orderBy('position').execute()
  const current = accountId === null ? [] : await currentPrices(db, accountId)
  return rows.filter((row) => row.listed).map((row) => presentPlan(row, current, yearOf(row, rows), taxed))
}

/** One plan by id or price id, including inactive ones, which subscriptions may still use. Throws not_found. */
export async function getPlan(db: Queryable, accountId: number, id: string, taxed: boolean): Promise<Plan> {
  // PostgreSQL text has no NUL, so such an id cannot exist.
  const row = id.includes('\0') ? undefined : await planBy(db, id)
  if (!row) throw new AppError('not_found', 'This plan does not exist.')
  const siblings = await db
    .selectFrom('plans')
    .selectAll()
    .where('product_id', '=', row.product_id)
    .where('active', '=', true)
    .execute()
  return presentPlan(row, await currentPrices(db, accountId), yearOf(row, siblings), taxed)
}

/** The yearly price of a monthly plan, if it is exactly what the pricing page promises. */
const yearOf = (plan: Selectable<Plans>, rows: Selectable<Plans>[]) =>
  rows.find(
    (row) =>
      !row.listed &&
      row.product_id === plan.product_id &&
      row.interval === 'year' &&
      plan.interval === 'month' &&
      row.price_cents === annualCents(plan.price_cents),
  )

/** Active paid plans that name no credits and so get the default, for the operator. */
export async function livePlans(db: Queryable): Promise<{ name: string; reliesOnDefaultCredits: boolean }[]> {
  const rows = await db
    .selectFrom('plans')
    .selectAll()
    .where('active', '=', true)
    .where('listed', '=', true)
    .orderBy('position')
    .execute()
  return rows.map(({ name, type, metadata }) => {
    const facts = metadata as Record<string, string>
    const grants = type === 'paid' && !isPayAsYouGo({ metadata: facts }) && !isUnlimited({ metadata: facts })
    return { name, reliesOnDefaultCredits: grants && namedCredits(facts) === null }
  })
}

const planBy = (db: Queryable, id: string) =>
  db
    .selectFrom('plans')
    .selectAll()
    .where((where) => where.or([where('price_id', '=', id), where('product_id', '=', id)]))
    .orderBy('active', 'desc')
    .orderBy('listed', 'desc')
    .orderBy('position')
    .executeTakeFirst()

async function currentPrices(db: Queryable, accountId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('price_id')
    .where('account_id', '=', accountId)
    .where('status', '=', 'active')
    .execute()
  return rows.map((row) => row.price_id)
}

/** A price that does not say is sold with tax on top. */
export const sayableTax = (behavior: string | null): 'exclusive' | 'inclusive' =>
  behavior === 'inclusive' ? 'inclusive' : 'exclusive'

function presentPlan(
  row: Selectable<Plans>,
  held: string[],
  year: Selectable<Plans> | undefined,
  taxed: boolean,
): Plan {
  return {
    id: row.product_id,
    productId: row.product_id,
    priceId: row.price_id,
    name: row.name,
    description: row.description,
    price: row.price_cents,
    currency: row.currency,
    interval: row.interval as Plan['interval'],
    active: row.active,
    type: row.type as Plan['type'],
    current: held.includes(row.price_id) || (year !== undefined && held.includes(year.price_id)),
    credits: row.credits,
    features: row.features,
    marketing_features: row.features.map((name) => ({ name })),
    metadata: row.metadata as Plan['metadata'],
    default_price: { id: row.price_id, unit_amount_decimal: row.unit_amount_decimal },
    ...(taxed && row.type === 'paid' && { tax_behavior: sayableTax(row.tax_behavior) }),
    ...(year && { annual: { priceId: year.price_id, price: year.price_cents } }),
    ...(currenciesOf(row).length > 1 && { prices: otherPrices(row, year) }),
  }
}

/** The amounts in other currencies. A year is sold in those in which it is what the pricing page promises. */
const otherPrices = (row: Selectable<Plans>, year: Selectable<Plans> | undefined): Plan['prices'] =>
  Object.fromEntries(
    Object.entries(optionsOf(row)).map(([currency, { priceCents, unitAmountDecimal }]) => {
      const annual = year && optionsOf(year)[currency]?.priceCents
      const isSold = annual === annualCents(priceCents)
      return [
        currency,
        {
          price: priceCents,
          unit_amount_decimal: unitAmountDecimal,
          ...(isSold && { annual: annualCents(priceCents) }),
        },
      ]
    }),
  )
