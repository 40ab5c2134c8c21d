import { sql } from 'kysely'
import type { ApiKey } from '#contract/keys.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireActive } from '../../account/require-active.ts'
import { requireManager } from '../../account/require-role.ts'
import { addKey, newKeyOf } from '../../keys/create.ts'
import { presentNewKey } from '../../keys/present-new-key.ts'
import type { EventContext } from '../events/event-context.ts'

export const FIRST_KEY_NAME = 'Default'

/**
 * Creates the first key when an account's first plan is paid and it has no key. Call it under `lockCustomer`. Does
 * nothing under KEYS_REVEAL=once: the value would be lost, so the buyer's browser asks for it with `takeFirstKey`.
 */
export async function addFirstKey({ tx, secrets, config }: EventContext, accountId: number): Promise<void> {
  if (config.KEYS_REVEAL === 'once' || !(await isDue(tx, accountId))) return
  const actor = { kind: 'system', name: 'billing' } as const
  await addKey(tx, { accountId, actor, secrets, reveal: config.KEYS_REVEAL }, FIRST_KEY_NAME)
}

/**
 * Creates that key for the person who returns from checkout, under KEYS_REVEAL=once; only this response contains its
 * value. Null: none is due. Owners and admins only. Throws forbidden, account_suspended.
 */
export async function takeFirstKey(ctx: UserContext): Promise<ApiKey | null> {
  const { actor, deps } = ctx
  requireManager(actor)
  if (deps.config.KEYS_REVEAL !== 'once') return null
  return deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, actor.accountId)
    if (!(await isDue(tx, actor.accountId))) return null
    await requireActive(tx, ctx)
    return presentNewKey(tx, actor.accountId, await addKey(tx, newKeyOf(ctx), FIRST_KEY_NAME))
  })
}

/**
 * Whether the first plan is a paid one, there is no key, and none was created and deleted since the plan started. The
 * hour allows for a payment provider whose clock is ahead.
 */
async function isDue(tx: Queryable, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    select from subscriptions s join plans p using (price_id)
    where s.account_id = ${accountId} and s.status = 'active' and p.type = 'paid'
      and not exists (select from subscriptions other where other.account_id = s.account_id and other.id <> s.id
        and other.status not in ('incomplete', 'incomplete_expired'))
      and not exists (select from api_keys k where k.account_id = s.account_id
        and (k.deleted_at is null or k.created_at >= s.anchor_at - interval '1 hour'))`.execute(tx)
  return rows.length > 0
}
