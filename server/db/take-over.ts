import { sql } from 'kysely'
import type { FunctionFile } from './apply-functions.ts'
import type { Queryable } from './database.ts'

/** The migrations of release 0.1.0, in the order of their names. */
const before = [
  '0001_core',
  '0002_auth',
  '0003_keys_billing',
  '0004_metering',
  '0004b_meter_commit',
  '0005_tools',
  '0006_billing',
  '0007_billing_automatic',
  '0008_usage_alerts',
  '0010_mail',
  '0011_auth_complete',
  '0020_key_controls',
  '0021_usage_sums',
  '0022_holds',
  '0024_usage_counts',
  '0025_void_keeps_replays',
  '0040_playground',
  '0041_oauth',
  '0050_team',
  '0051_account',
  '0052_audit_subject',
  '0053_playground_sign_in',
  '0056_playground_definitions',
  '0060_credit_debt',
]

/** The migrations that create the same schema since release 0.2.0. */
const since = [
  '0001_clock',
  '0002_auth',
  '0003_accounts',
  '0004_metering',
  '0005_usage',
  '0006_billing',
  '0007_playground',
]

/** Differences in 0.1.0: a duplicate index, and a literal that is now a named function. */
const difference = `
  drop index if exists audit_log_actor_id_idx1;
  alter table credit_accounts alter column alert_below set default alert_below_unknown()`

/**
 * Converts a database of release 0.1.0 to one of 0.2.0, on which later migrations run; leaves any other unchanged.
 * Throws if a migration of 0.1.0 is missing. The caller opens the transaction, and holds the lock for migrations.
 */
export async function takeOver(tx: Queryable, functions: FunctionFile[], applied: string[]): Promise<void> {
  // Every database of 0.1.0 has 0001_core, and no later one does.
  if (!applied.includes('0001_core')) return
  const missing = before.filter((name) => !applied.includes(name))
  if (missing.length > 0)
    throw new Error(
      `it is older than Finmeter 0.1.0 (it lacks migration ${missing[0]}). Start release 0.1.0 on it once, then this release.`,
    )
  await sql.raw(functions.find(({ name }) => name === 'alert_below')!.text).execute(tx)
  await sql.raw(difference).execute(tx)
  await sql`delete from kysely_migration where name = any(${before})`.execute(tx)
  await sql`insert into kysely_migration (name, timestamp)
    select name, ${new Date().toISOString()} from unnest(${since}::text[]) name`.execute(tx)
}
