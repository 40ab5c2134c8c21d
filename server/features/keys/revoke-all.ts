import { sql } from 'kysely'
import type { Actor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { closeMeterKey } from '../metering/keys.ts'

/** Deletes every live key of the account, as `revokeKey` does: refused everywhere from the commit on. */
export async function revokeAllKeys(tx: Queryable, accountId: number, actor: Actor): Promise<void> {
  const deleted = await tx
    .updateTable('api_keys')
    .set({ deleted_at: sql`app_now()`, ciphertext: null })
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returning(['id', 'public_id'])
    .execute()
  for (const { id, public_id } of deleted) {
    await closeMeterKey(tx, { keyId: id, accountId })
    await audit(tx, { accountId, actor, action: 'key.deleted', target: public_id })
  }
}
