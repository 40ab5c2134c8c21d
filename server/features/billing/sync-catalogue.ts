import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { planType } from './plan-rules.ts'
import { publishPlans } from './publish-plans.ts'
import { seedPlans } from './seed-plans.ts'
import { fetchCatalogue } from './stripe/catalogue.ts'
import type { StripeAccess } from './stripe/client.ts'
import { seedCatalogue } from './stripe/seed-catalogue.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'stripe'>

/**
 * Makes the plans and credit packs equal to the products and prices at Stripe. When Stripe does not answer, what was
 * read last stays. Without Stripe, only the free plan is offered. Answers how many plans are offered.
 */
export async function syncCatalogue({ db, log, stripe }: Needs): Promise<number> {
  if (!stripe) {
    const free = seedPlans.filter((plan) => planType(plan) === 'free')
    await publishPlans(db.kysely, free)
    return free.length
  }
  try {
    const { plans, packs } = await fetchCatalogue(stripe)
    await publishPlans(db.kysely, plans)
    await db.kysely.transaction().execute(async (tx) => {
      await tx.updateTable('credit_packs').set({ active: false }).execute()
      for (const { priceId, name, priceCents, currency, credits } of packs) {
        const row = { name, price_cents: priceCents, currency, credits, active: true }
        await tx
          .insertInto('credit_packs')
          .values({ price_id: priceId, ...row })
          .onConflict((conflict) => conflict.column('price_id').doUpdateSet(row))
          .execute()
      }
      await tx.updateTable('billing_settings').set({ synced_at: sql`app_now()` }).execute()
    })
    if (plans.length === 0) log.warn('Stripe has no plan: run npm run billing -- seed')
    return plans.filter(({ listed }) => listed).length
  } catch (error) {
    log.error({ error: (error as Error).message }, 'the plan catalogue could not be read from Stripe')
    return 0
  }
}

const SEED_LOCK = 7_467_312

/**
 * Prepares the catalogue at start. The sandbox is seeded by itself; a real Stripe account only by the operator's command.
 * Throws when this database holds the money of another mode.
 */
export async function prepareCatalogue(deps: Needs): Promise<void> {
  if (deps.stripe) {
    await claimMode(deps, deps.stripe)
    if (deps.stripe.mode === 'sandbox') await seedOnce(deps, deps.stripe)
  }
  await syncCatalogue(deps)
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
  await db.kysely
    .updateTable('billing_settings')
    .set({ mode, portal_configuration_id: null, portal_print: null })
    .execute()
}

/** Instances that start together seed one after another. */
async function seedOnce({ db }: Needs, stripe: StripeAccess): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${SEED_LOCK})`.execute(tx)
    await seedCatalogue(stripe)
  })
}
