import type { Database } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'
import type { Caller } from '../metering/meter.ts'
import { networkTest } from './networks.ts'

const account = `select bucket, account_rate_limit(id) as "rateLimitPerMinute" from accounts where id = $1`
const key = `
  select id as "keyId", (select bucket from accounts where id = $1), scopes, account_rate_limit($1) as "rateLimitPerMinute",
    rate_limit_per_minute as "keyRateLimitPerMinute", allowed_networks::text[] as "allowedNetworks" from api_keys
  where account_id = $1 and public_id = $2 and deleted_at is null and (expires_at is null or expires_at > app_now())`

/**
 * A signed-in person as a caller with one of the workspace's keys, or without one (`null`). Throws not_found for a
 * missing, deleted, expired or foreign key, forbidden for one that may not use MCP or not from the person's address
 * `ip`: a key's rights do not depend on who uses it.
 */
export async function findCallerOf(
  db: Database,
  accountId: number,
  publicId: string | null,
  ip: string,
): Promise<Caller> {
  if (publicId === null) {
    const { rows } = await db.pool.query<Pick<Caller, 'bucket' | 'rateLimitPerMinute'>>(account, [accountId])
    const { bucket, rateLimitPerMinute } = rows[0]!
    return { accountId, bucket, keyId: null, rateLimitPerMinute }
  }
  const { rows } = isUuid(publicId)
    ? await db.pool.query<Caller & { scopes: string[] | null; allowedNetworks: string[] | null }>(key, [
        accountId,
        publicId,
      ])
    : { rows: [] }
  const found = rows[0]
  if (!found) throw new AppError('not_found', 'The requested API key could not be found.')
  if (found.scopes && !found.scopes.includes('mcp'))
    throw new AppError('forbidden', 'This API key is not allowed to use MCP.')
  if (found.allowedNetworks && !networkTest(found.allowedNetworks)(ip))
    throw new AppError(
      'forbidden',
      `This API key may not be used from ${ip}. The key's owner can change its allowed networks.`,
    )
  const { bucket, keyId, rateLimitPerMinute, keyRateLimitPerMinute } = found
  return { accountId, bucket, keyId, rateLimitPerMinute, keyRateLimitPerMinute }
}
