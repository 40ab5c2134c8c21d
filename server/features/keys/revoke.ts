import { sql } from 'kysely'
import type { UserContext } from '../../context.ts'
import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { requireManager } from '../account/require-role.ts'
import { closeMeterKey } from '../metering/keys.ts'
import { ownKey } from './store.ts'

/**
 * Deletes a key. From the commit on, none of its calls can be charged (the meter's copy is closed in the same
 * transaction), and all instances are notified. The encrypted copy is destroyed. Owners and admins only. Throws
 * forbidden, not_found.
 */
export async function revokeKey({ actor, deps }: UserContext, publicId: string): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    await enterBucket(tx, actor.accountId)
    const key = await ownKey(tx, actor.accountId, publicId)
    requireManager(actor)
    const deleted = await tx
      .updateTable('api_keys')
      .set({ deleted_at: sql`app_now()`, ciphertext: null })
      .where('id', '=', key.id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (deleted.numUpdatedRows === 0n) return
    await closeMeterKey(tx, { keyId: key.id, accountId: actor.accountId })
    await audit(tx, { accountId: actor.accountId, actor, action: 'key.deleted', target: key.public_id })
  })
}

/** Ends the key of a connected program: on its own request, or on reuse of its token. */
export async function revokeConnectionKey(tx: Queryable, keyId: number): Promise<void> {
  const deleted = await tx
    .updateTable('api_keys')
    .set({ deleted_at: sql`app_now()`, ciphertext: null })
    .where('id', '=', keyId)
    .where('deleted_at', 'is', null)
    .returning(['public_id', 'account_id'])
    .executeTakeFirst()
  if (!deleted) return
  await closeMeterKey(tx, { keyId, accountId: deleted.account_id })
  await audit(tx, {
    accountId: deleted.account_id,
    actor: { kind: 'system', name: 'oauth' },
    action: 'key.deleted',
    target: deleted.public_id,
  })
}
