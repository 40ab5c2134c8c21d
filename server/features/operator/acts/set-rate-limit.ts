import type { Queryable } from '../../../db/database.ts'
import { audit } from '../../account/audit.ts'
import { operator } from '../../account/operator.ts'
import type { FoundAccount } from '../find-account.ts'

/** Requests per minute: a number, 0 for no limit, null for the plan's limit. */
type RateLimit = { requests_per_minute: number | null }

/** Sets an account's requests per minute: a number, 0 for no limit, null for its plan's limit. Takes effect everywhere within a second. */
export async function setRateLimit(
  tx: Queryable,
  { id, publicId }: Pick<FoundAccount, 'id' | 'publicId'>,
  perMinute: number | null,
): Promise<{ before: RateLimit; after: RateLimit }> {
  const { limit } = await tx
    .selectFrom('accounts')
    .select('rate_limit_per_minute as limit')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await tx.updateTable('accounts').set({ rate_limit_per_minute: perMinute }).where('id', '=', id).execute()
  await audit(tx, {
    accountId: id,
    actor: operator,
    action: 'limits.changed',
    target: publicId,
    detail: { rateLimitPerMinute: perMinute },
  })
  return { before: { requests_per_minute: limit }, after: { requests_per_minute: perMinute } }
}
