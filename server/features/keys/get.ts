import type { ApiKey } from '#contract/keys.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { keyUsage } from './key-usage.ts'
import { noteReveal } from './note-reveal.ts'
import { masked, mayReveal, presentKey, reveal } from './present.ts'
import { ownKey } from './store.ts'

/** One key, in clear for owners and admins (KEYS_REVEAL=always), which is audited. Throws not_found. */
export async function getKey(ctx: UserContext, publicId: string): Promise<ApiKey> {
  const { actor, deps } = ctx
  const db = deps.db.of(actor.bucket).kysely
  const row = await ownKey(db, actor.accountId, publicId)
  const value = mayReveal(actor) ? reveal(deps, row) : null
  if (value !== null) await noteReveal(db, actor, 1, row.public_id)
  const usage = await keyUsage(db, actor.accountId)
  return presentKey(row, value ?? masked(row.start), usage.get(row.id))
}

/** The database id and name of one of the account's live keys, for features that count by key. Throws not_found. */
export async function findOwnKey(
  db: Queryable,
  accountId: number,
  publicId: string,
): Promise<{ keyId: number; name: string }> {
  const { id, name } = await ownKey(db, accountId, publicId)
  return { keyId: id, name }
}
