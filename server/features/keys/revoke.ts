import { sql } from 'kysely'
import type { UserContext } from '../../context.ts'
import { audit } from '../account/audit.ts'
import { requireManager } from '../account/require-role.ts'
import { closeMeterKey } from '../metering/keys.ts'
import { ownKey } from './store.ts'

/**
 * Deletes a key. From the commit on, no call of it can be charged (the meter's own copy is closed in the same
 * transaction), and every instance hears of it. The encrypted copy is destroyed. Owners and admins only.
 * Throws forbidden, not_found.
 */
export async function revokeKey({ actor, deps }: UserContext, publicId: string): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    const key = await ownKey(tx, actor.accountId, publicId)
    requireManager(actor)
    const deleted = await tx
      .updateTable('api_keys')
      .set({ deleted_at: sql`app_now()`, ciphertext: null })
      .where('id', '=', key.id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (deleted.numUpdatedRows === 0n) return
    await closeMeterKey(tx, key.id)
    await audit(tx, { accountId: actor.accountId, actor, action: 'key.deleted', target: key.public_id })
  })
}
