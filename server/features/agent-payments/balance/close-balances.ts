import { sql } from 'kysely'
import { enterAllBuckets } from '../../../db/buckets.ts'
import type { Database } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { audit } from '../../account/audit.ts'
import { closeMeterKey } from '../../metering/keys.ts'
import { actor } from './open-balance.ts'

const AT_ONCE = 500

/**
 * Closes balances that nobody has claimed and that have been empty for twelve months: their keys end. Where keys are shown once, also
 * forgets the keys of answers that cannot be repeated any more. Returns how many were closed.
 */
export async function closeBalances({ config, db }: Pick<Deps, 'config' | 'db'>): Promise<number> {
  await noteEmpty(db)
  if (config.KEYS_REVEAL === 'once')
    await sql`update api_keys k set ciphertext = null from agent_balances b where k.id = b.key_id and k.ciphertext is not null
      and b.created_at < app_now() - interval '24 hours'`.execute(db.kysely)
  const { rows } = await sql<{ account_id: number }>`
    select account_id from agent_balances where claimed_at is null and closed_at is null
      and empty_since <= app_now() - interval '12 months' limit ${AT_ONCE}`.execute(db.kysely)
  let closed = 0
  for (const { account_id: accountId } of rows) if (await close(db, accountId)) closed++
  return closed
}

function noteEmpty({ kysely }: Database): Promise<void> {
  return kysely.transaction().execute(async (tx) => {
    await enterAllBuckets(tx)
    await sql`update agent_balances b set empty_since = case when c.balance = 0 then app_now() end from credit_accounts c
      where c.account_id = b.account_id and claimed_at is null and closed_at is null and (c.balance = 0) = (empty_since is null)`.execute(
      tx,
    )
  })
}

/** Closes one, unless somebody has claimed it or adds to it meanwhile. */
function close({ kysely }: Database, accountId: number): Promise<boolean> {
  return kysely.transaction().execute(async (tx) => {
    const { rows } = await sql<{ key_id: number; key: string }>`
      update agent_balances b set closed_at = app_now() from api_keys k where b.account_id = ${accountId} and k.id = key_id
        and claimed_at is null and closed_at is null and empty_since is not null and not exists (select from agent_payments p
          where p.account_id = b.account_id and state in ('claimed', 'settling', 'unknown'))
      returning key_id, k.public_id as key`.execute(tx)
    if (!rows[0]) return false
    const { key_id: keyId, key } = rows[0]
    await tx
      .updateTable('api_keys')
      .set({ deleted_at: sql`app_now()`, ciphertext: null })
      .where('id', '=', keyId)
      .execute()
    await closeMeterKey(tx, { keyId, accountId })
    await audit(tx, { accountId, actor, action: 'key.deleted', target: key })
    return true
  })
}
