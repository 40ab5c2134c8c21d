import { sql } from 'kysely'
import type { z } from 'zod'
import type { Preferences, preferencesChange } from '#contract/account.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { audit } from '../../account/audit.ts'
import { requireManager } from '../../account/require-role.ts'
import { askForAlerts } from '../../credits/alerts.ts'
import { currencyOfCaps } from '../account-currency.ts'
import { refreshEntitlements } from '../plans/refresh-entitlements.ts'

const DEFAULTS: Preferences = { alertThreshold: 90, spendCapCents: null }

/** The account's preferences, or the defaults: alert at 90 percent, no cap. */
export async function readPreferences(db: Queryable, accountId: number): Promise<Preferences> {
  const row = await db
    .selectFrom('account_preferences')
    .select(['alert_threshold as alertThreshold', 'spend_cap_cents as spendCapCents', 'spend_cap_currency as currency'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!row) return DEFAULTS
  const { currency, ...rest } = row
  return { ...rest, ...(currency !== null && rest.spendCapCents !== null && { spendCapCurrency: currency }) }
}

/** Changes only the fields in `change`. Owners and admins only. Throws forbidden. */
export async function setPreferences(
  { actor, deps }: UserContext,
  change: z.output<typeof preferencesChange>,
): Promise<Preferences> {
  requireManager(actor)
  const own = await paygCurrency(deps.db.kysely)
  const currency = change.spendCapCents ? await currencyOfCaps(deps.db.kysely, actor.accountId, own) : null
  const named = {
    ...(change.alertThreshold !== undefined && { alert_threshold: change.alertThreshold }),
    ...(change.spendCapCents !== undefined && { spend_cap_cents: change.spendCapCents, spend_cap_currency: currency }),
  }
  // Readers of the log take an amount without a currency for dollars.
  const noted = currency ?? own
  return deps.db.kysely.transaction().execute(async (tx) => {
    await tx
      .insertInto('account_preferences')
      .values({ account_id: actor.accountId, ...named })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(named))
      .execute()
    if (change.alertThreshold !== undefined) await askForAlerts(tx, actor.accountId)
    if (change.spendCapCents !== undefined) await refreshEntitlements(tx, actor.accountId)
    await audit(tx, {
      accountId: actor.accountId,
      actor,
      action: 'preferences.changed',
      detail: { ...change, ...(change.spendCapCents && noted && noted !== 'usd' && { currency: noted }) },
    })
    return readPreferences(tx, actor.accountId)
  })
}

/** What pay-as-you-go costs for those who have not paid yet. */
const paygCurrency = async (db: Queryable): Promise<string | undefined> =>
  (
    await db
      .selectFrom('plans')
      .select('currency')
      .where('active', '=', true)
      .where(sql<boolean>`metadata ->> 'type' = 'payg'`)
      .orderBy('position')
      .executeTakeFirst()
  )?.currency
