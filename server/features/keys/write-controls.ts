import { sql } from 'kysely'
import type { KeyChange } from '#contract/keys.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { setKeyBudget } from '../metering/keys.ts'
import { readNetworks } from './networks.ts'

/**
 * Writes the fields of a key that are in `change`; all instances are notified. A given budget starts over. Throws
 * invalid_parameter for an expiry in the past and for invalid networks.
 */
export async function writeControls(
  tx: Queryable,
  { id, accountId }: { id: number; accountId: number },
  { name, scopes, expiresAt, rateLimit, allowedNetworks, monthlyBudget }: KeyChange,
): Promise<void> {
  if (expiresAt != null) await refusePast(tx, expiresAt)
  const networks = allowedNetworks && readNetworks(allowedNetworks)
  const named = {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(rateLimit !== undefined && { rate_limit_per_minute: rateLimit }),
    ...(networks !== undefined && { allowed_networks: networks === null ? null : sql<string[]>`${networks}::cidr[]` }),
  }
  if (Object.keys(named).length > 0) await tx.updateTable('api_keys').set(named).where('id', '=', id).execute()
  if (monthlyBudget !== undefined) await setKeyBudget(tx, { keyId: id, accountId }, monthlyBudget)
}

async function refusePast(tx: Queryable, expiresAt: string): Promise<void> {
  const { rows } = await sql<{ past: boolean }>`select ${expiresAt}::timestamptz <= app_now() as past`.execute(tx)
  if (rows[0]?.past)
    throw new AppError('invalid_parameter', 'expiresAt: is in the past. To stop a key now, delete it.', {
      param: 'expiresAt',
    })
}
