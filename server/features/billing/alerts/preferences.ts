import type { z } from 'zod'
import type { Preferences, preferencesChange } from '#contract/account.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { audit } from '../../account/audit.ts'
import { requireManager } from '../../account/require-role.ts'
import { askForAlerts } from '../../credits/alerts.ts'
import { refreshEntitlements } from '../plans/refresh-entitlements.ts'

const DEFAULTS: Preferences = { alertThreshold: 90, spendCapCents: null }

/** The account's preferences, or the defaults: alert at 90 percent, no cap. */
export async function readPreferences(db: Queryable, accountId: number): Promise<Preferences> {
  const row = await db
    .selectFrom('account_preferences')
    .select(['alert_threshold as alertThreshold', 'spend_cap_cents as spendCapCents'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row ?? DEFAULTS
}

/** Changes only the fields in `change`. Owners and admins only. Throws forbidden. */
export async function setPreferences(
  { actor, deps }: UserContext,
  change: z.output<typeof preferencesChange>,
): Promise<Preferences> {
  requireManager(actor)
  const named = {
    ...(change.alertThreshold !== undefined && { alert_threshold: change.alertThreshold }),
    ...(change.spendCapCents !== undefined && { spend_cap_cents: change.spendCapCents }),
  }
  return deps.db.kysely.transaction().execute(async (tx) => {
    await tx
      .insertInto('account_preferences')
      .values({ account_id: actor.accountId, ...named })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(named))
      .execute()
    if (change.alertThreshold !== undefined) await askForAlerts(tx, actor.accountId)
    if (change.spendCapCents !== undefined) await refreshEntitlements(tx, actor.accountId)
    await audit(tx, { accountId: actor.accountId, actor, action: 'preferences.changed', detail: change })
    return readPreferences(tx, actor.accountId)
  })
}
