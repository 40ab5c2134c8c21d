import type { Plan } from '#contract/billing.ts'
import type { Deps } from '../../deps.ts'
import { listPlans } from '../billing/plans/list-plans.ts'

/** The plans as visitors see them. Null if they cannot be read: pages then show the standard ones. */
export async function publicPlans({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<Plan[] | null> {
  try {
    return await listPlans(db.kysely, null)
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'could not read the plans for a page')
    return null
  }
}
