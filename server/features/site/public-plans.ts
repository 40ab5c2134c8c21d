import type { Plan } from '#contract/billing.ts'
import type { Deps } from '../../deps.ts'
import { listPlans } from '../billing/plans/list-plans.ts'
import { sellsWithTax } from '../billing/stripe/taxes.ts'

/** The plans as visitors see them. Null if they cannot be read: pages then show the standard ones. */
export async function publicPlans({ db, log, stripe }: Pick<Deps, 'db' | 'log' | 'stripe'>): Promise<Plan[] | null> {
  try {
    return await listPlans(db.kysely, null, sellsWithTax(stripe))
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'could not read the plans for a page')
    return null
  }
}
