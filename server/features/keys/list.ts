import type { ApiKey } from '#contract/keys.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { keyUsage } from './key-usage.ts'
import { noteReveal } from './note-reveal.ts'
import { masked, mayReveal, presentKey, reveal } from './present.ts'
import { liveKeys } from './store.ts'

/**
 * The workspace's keys, oldest first. Owners and admins get them in clear (KEYS_REVEAL=always), which is audited;
 * members never do.
 */
export async function listKeys(ctx: UserContext): Promise<ApiKey[]> {
  const { actor, deps } = ctx
  const db = deps.db.of(actor.bucket).kysely
  const [rows, usage] = await Promise.all([liveKeys(db, actor.accountId).execute(), keyUsage(db, actor.accountId)])
  const values = rows.map((row) => (mayReveal(actor) ? reveal(deps, row) : null))
  const revealed = values.filter((value) => value !== null).length
  if (revealed > 0) await noteReveal(db, actor, revealed, null)
  return rows.map((row, i) => presentKey(row, values[i] ?? masked(row.start), usage.get(row.id)))
}

export interface KeyName {
  publicId: string
  name: string
}

/** The names of all keys that the account ever had, including deleted ones, by database id: usage outlives keys. */
export async function keyNames(db: Queryable, accountId: number): Promise<Map<number, KeyName>> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'public_id', 'name'])
    .where('account_id', '=', accountId)
    .execute()
  return new Map(rows.map((row) => [row.id, { publicId: row.public_id, name: row.name }]))
}
