import { sql } from 'kysely'
import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'

export type GrantKind = 'free' | 'plan' | 'trial' | 'topup' | 'promo' | 'restore'

/** Lower burns first; then the earliest expiry, then the oldest. */
const grantPriorities: Record<GrantKind, number> = {
  free: 10,
  trial: 10,
  restore: 10,
  plan: 20,
  promo: 30,
  topup: 50,
}

export interface NewGrant {
  accountId: number
  kind: GrantKind
  /** Credits, a positive integer. */
  amount: number
  /** What the grant is for: each (sourceType, sourceId) is granted once, ever. */
  sourceType: string
  sourceId: string
  priority?: number
  /** Default: now. With a later time the credits become available then. */
  effectiveAt?: Date
  /** Default: never. */
  expiresAt?: Date
}

/**
 * Adds credits in the caller's transaction, once per source: a repeat returns `granted: false` and changes nothing. All
 * instances are notified (NOTIFY credits_changed) when the transaction commits. Holds the account's lock until then, so
 * do no slow work later in the transaction. Throws when the account has no credit account.
 */
export async function grantCredits(tx: Queryable, grant: NewGrant): Promise<{ granted: boolean }> {
  if (!Number.isSafeInteger(grant.amount) || grant.amount <= 0)
    throw new RangeError(`A grant needs a positive whole number of credits, not ${grant.amount}.`)
  await enterBucket(tx, grant.accountId)
  const priority = grant.priority ?? grantPriorities[grant.kind]
  const { rows } = await sql<{ granted: boolean }>`
    select credit_grant(${grant.accountId}, ${grant.kind}, ${priority}::smallint, ${grant.amount}, ${grant.sourceType},
      ${grant.sourceId}, ${grant.effectiveAt ?? null}, ${grant.expiresAt ?? null}) as granted`.execute(tx)
  return { granted: rows[0]?.granted === true }
}
