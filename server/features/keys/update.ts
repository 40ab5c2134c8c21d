import type { ApiKey, KeyChange } from '#contract/keys.ts'
import type { UserContext } from '../../context.ts'
import { enterBucket } from '../../db/buckets.ts'
import { audit } from '../account/audit.ts'
import { requireManager } from '../account/require-role.ts'
import { getKey } from './get.ts'
import { ownKey } from './store.ts'
import { writeControls } from './write-controls.ts'

/**
 * Changes the fields in `change`: name, scopes, expiry, monthly budget, rate limit, networks. Takes effect on every
 * instance within a moment. Owners and admins only. Throws forbidden, not_found, invalid_parameter.
 */
export async function updateKey(ctx: UserContext, publicId: string, change: KeyChange): Promise<ApiKey> {
  const { actor, deps } = ctx
  await deps.db.kysely.transaction().execute(async (tx) => {
    await enterBucket(tx, actor.accountId)
    const key = await ownKey(tx, actor.accountId, publicId)
    requireManager(actor)
    await writeControls(tx, { id: key.id, accountId: actor.accountId }, change)
    const detail = {
      ...Object.fromEntries(
        Object.entries(change).map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : (value ?? null)]),
      ),
      ...(change.name !== undefined && change.name !== key.name && { formerName: key.name }),
    }
    await audit(tx, { accountId: actor.accountId, actor, action: 'key.updated', target: key.public_id, detail })
  })
  return getKey(ctx, publicId)
}
