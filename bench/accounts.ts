import type { Database } from '../server/db/database.ts'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import type { Secrets } from '../server/secrets/secrets.ts'

/** More than a run can spend. */
const CREDITS_EACH = 1_000_000_000
/** Higher than any run reaches, so the limiter counts every call and refuses none. */
const RATE_LIMIT_PER_MINUTE = 1_000_000_000
const AT_ONCE = 4

/** Creates accounts with credits and one key each, as `npm run admin -- loadtest` does, and returns the keys. */
export async function makeAccounts(db: Database, secrets: Secrets, count: number): Promise<string[]> {
  const keys: string[] = []
  let left = count
  const maker = async () => {
    while (left-- > 0) keys.push((await makeLoadTestAccount(db.kysely, secrets, CREDITS_EACH)).key)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, maker))
  await db.kysely.updateTable('accounts').set({ rate_limit_per_minute: RATE_LIMIT_PER_MINUTE }).execute()
  return keys
}
