import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { inLease, transactInLease } from '../lease/in-lease.ts'
import { CATALOG_LEASE } from '../lease/take-lease.ts'
import { type CreditPack, fetchCatalog } from '../stripe/catalog.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { seedCatalog } from '../stripe/seed-catalog.ts'
import { leavingOf } from './leaving.ts'
import { livePlans } from './list-plans.ts'
import { planType } from './plan-rules.ts'
import { publishPlans } from './publish-plans.ts'
import { seedPlans } from './seed-plans.ts'

interface Needs extends Pick<Deps, 'db' | 'log' | 'stripe'> {
  /** Whether to log products that are not sold as configured: at startup and after a change, not every time. */
  tell?: boolean
}

const CATALOG_LOCK = 7_467_313

/**
 * Syncs plans and credit packs with the products and prices at Stripe. When Stripe does not answer, the last state
 * stays. Without Stripe, only the free plan is offered. Returns how many plans are offered.
 */
export async function syncCatalog({ db, ...needs }: Needs): Promise<number> {
  try {
    return await transactInLease(db, CATALOG_LEASE, (tx) => readCatalog({ tx, ...needs }))
  } catch (error) {
    needs.log.error({ error: (error as Error).message }, 'could not read the plan catalog from Stripe')
    return 0
  }
}

/** The same inside the caller's transaction. Throws when Stripe does not answer. */
export async function readCatalog({
  tx,
  log,
  stripe,
  tell,
}: { tx: Queryable } & Pick<Needs, 'log' | 'stripe' | 'tell'>): Promise<number> {
  if (!stripe) {
    const free = seedPlans.filter((plan) => planType(plan) === 'free')
    await publishPlans(tx, free)
    return free.length
  }
  // Servers of release 0.2.0 know no lease.
  await sql`select pg_advisory_xact_lock(${CATALOG_LOCK})`.execute(tx)
  const { plans, packs, notices } = await fetchCatalog(stripe, await leavingOf(tx))
  await publishPlans(tx, plans)
  await publishPacks(tx, packs)
  await tx.updateTable('billing_settings').set({ synced_at: sql`app_now()` }).execute()
  for (const { product, problem } of tell ? notices : [])
    log.warn({ product }, `a Stripe product is not offered as configured: ${problem}`)
  if (plans.length === 0) log.warn('Stripe has no plan: run npm run billing -- seed')
  return plans.filter(({ listed }) => listed).length
}

async function publishPacks(tx: Queryable, packs: CreditPack[]): Promise<void> {
  await tx.updateTable('credit_packs').set({ active: false }).execute()
  for (const { productId, priceId, priceCents, currencyOptions, taxBehavior, taxCode, ...about } of packs) {
    const row = {
      ...about,
      product_id: productId,
      price_cents: priceCents,
      currency_options: JSON.stringify(currencyOptions),
      active: true,
      tax_behavior: taxBehavior,
      tax_code: taxCode,
    }
    await tx
      .insertInto('credit_packs')
      .values({ price_id: priceId, ...row })
      .onConflict((conflict) => conflict.column('price_id').doUpdateSet(row))
      .execute()
  }
}

/**
 * Prepares the catalog at start, and warns about plans that get the default credits. The sandbox is seeded
 * automatically, a real Stripe account only by the operator's command. Throws when this database holds billing data of
 * another mode.
 */
export async function prepareCatalog(deps: Needs): Promise<void> {
  if (deps.stripe) {
    await claimMode(deps, deps.stripe)
    if (deps.stripe.mode === 'sandbox') await seedOnce(deps, deps.stripe)
  }
  await syncCatalog({ ...deps, tell: true })
  for (const { name, reliesOnDefaultCredits } of await livePlans(deps.db.kysely))
    if (reliesOnDefaultCredits)
      deps.log.warn({ plan: name }, 'a paid plan has no credits set and gets 1,000: set metadata.credits at Stripe')
}

async function claimMode({ db }: Needs, { mode }: StripeAccess): Promise<void> {
  await db.kysely
    .insertInto('billing_settings')
    .values({ mode })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { mode: kept } = await db.kysely.selectFrom('billing_settings').select('mode').executeTakeFirstOrThrow()
  if (kept === mode) return
  const { used } = await db.kysely
    .selectNoFrom((has) => has.exists(has.selectFrom('billing_customers').select('id')).as('used'))
    .executeTakeFirstOrThrow()
  if (used)
    throw new Error(
      `This database holds ${kept} billing and Stripe is now set up as ${mode}; the two must not mix. Use another database, or put the old keys back.`,
    )
  await db.kysely.deleteFrom('portal_configurations').execute()
  await db.kysely.updateTable('billing_settings').set({ mode }).execute()
}

/** Instances that start together seed one after another. */
async function seedOnce({ db }: Needs, stripe: StripeAccess): Promise<void> {
  await inLease(db, 'catalog seed', () => seedCatalog(stripe))
}
