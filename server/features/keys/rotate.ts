import { sql } from 'kysely'
import type { ApiKey } from '#contract/keys.ts'
import type { UserContext } from '../../context.ts'
import { enterBucket } from '../../db/buckets.ts'
import { AppError } from '../../http/errors.ts'
import { audit } from '../account/audit.ts'
import { lockAccount } from '../account/lock-account.ts'
import { requireActive } from '../account/require-active.ts'
import { requireManager } from '../account/require-role.ts'
import { readKeyPrefix } from '../shop/read-key-prefix.ts'
import { hashBytes, hashKey, makeKey, startOf } from './key-format.ts'
import { keyUsage } from './key-usage.ts'
import { CIPHER_PURPOSE, presentKey } from './present.ts'
import { ownKey } from './store.ts'

/**
 * Gives a key a new value. The old one is accepted for `graceSeconds` more. It stays the same key, so usage, budget and
 * limits continue for both values. The response contains the new value in full. A value from an earlier rotation ends
 * now. Owners and admins only. Throws forbidden, account_suspended, not_found (also for a deleted key), conflict (the
 * key has expired).
 */
export async function rotateKey(ctx: UserContext, publicId: string, graceSeconds: number): Promise<ApiKey> {
  const { actor, deps } = ctx
  return deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, actor.accountId)
    await enterBucket(tx, actor.accountId)
    const { id, public_id: id36 } = await ownKey(tx, actor.accountId, publicId)
    requireManager(actor)
    await requireActive(tx, ctx)
    const secret = makeKey(await readKeyPrefix(tx))
    const rotated = await tx
      .updateTable('api_keys')
      .set({
        previous_hash: graceSeconds === 0 ? null : sql`hash`,
        previous_until: graceSeconds === 0 ? null : sql`app_now() + make_interval(secs => ${graceSeconds})`,
        hash: hashBytes(hashKey(secret)),
        ciphertext: deps.config.KEYS_REVEAL === 'always' ? deps.secrets.encrypt(CIPHER_PURPOSE, secret, id36) : null,
        start: startOf(secret),
      })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .where(sql<boolean>`(expires_at is null or expires_at > app_now())`)
      .executeTakeFirst()
    if (rotated.numUpdatedRows === 0n)
      throw new AppError('conflict', 'This API key has expired or was deleted meanwhile. Create a new one.')
    await audit(tx, {
      accountId: actor.accountId,
      actor,
      action: 'key.rotated',
      target: id36,
      detail: { graceSeconds },
    })
    const usage = await keyUsage(tx, actor.accountId)
    return presentKey(await ownKey(tx, actor.accountId, publicId), secret, usage.get(id))
  })
}
