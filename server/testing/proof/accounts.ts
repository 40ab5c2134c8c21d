import { sql } from 'kysely'
import { homeOf } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import { grantCredits } from '../../features/credits/grant.ts'
import { setKeyBudget } from '../../features/metering/keys.ts'
import { makeLoadTestAccount } from '../../features/operator/make-load-test-account.ts'
import type { Secrets } from '../../secrets/secrets.ts'

/**
 * rich: never runs out. poor: depends on grants. payg: pays as it goes, up to its cap. budget: limited by the key's
 * budget.
 */
export type AccountKind = 'rich' | 'poor' | 'payg' | 'budget'

export interface ProofAccount {
  id: number
  kind: AccountKind
  key: string
}

const CREDITS: Record<AccountKind, number> = { rich: 1_000_000_000, poor: 30, payg: 20, budget: 1_000_000_000 }
const PAYG_UNITS = 150
const BUDGET = 120

export async function makeProofAccounts(db: Database, secrets: Secrets, each: number): Promise<ProofAccount[]> {
  const accounts: ProofAccount[] = []
  for (const kind of ['rich', 'poor', 'payg', 'budget'] as const) {
    for (let i = 0; i < each; i++) {
      const { accountId, key } = await makeLoadTestAccount(db.kysely, secrets, CREDITS[kind])
      const row = await db.kysely
        .selectFrom('accounts as a')
        .innerJoin('api_keys as k', 'k.account_id', 'a.id')
        .select(['a.id', 'k.id as keyId'])
        .where('a.public_id', '=', accountId)
        .executeTakeFirstOrThrow()
      if (kind === 'payg')
        await sql`update credit_accounts set payg_enabled = true, payg_left = ${PAYG_UNITS} where account_id = ${row.id}`.execute(
          (await homeOf(db, row.id)).kysely,
        )
      if (kind === 'budget')
        await db.kysely.transaction().execute((tx) => setKeyBudget(tx, { keyId: row.keyId, accountId: row.id }, BUDGET))
      accounts.push({ id: row.id, kind, key })
    }
  }
  return accounts
}

/**
 * A grant for an account that depends on grants. Half of them are about to expire, and each is reported twice, as
 * events are.
 */
export async function feed(db: Database, { id }: ProofAccount, source: string): Promise<void> {
  const expiresAt = source.endsWith('0') ? new Date(Date.now() + 5 * 3_600_000) : undefined
  for (let times = 0; times < 2; times++)
    await db.kysely.transaction().execute((tx) =>
      grantCredits(tx, {
        accountId: id,
        kind: 'promo',
        amount: 10,
        sourceType: 'proof',
        sourceId: source,
        expiresAt,
      }),
    )
}
