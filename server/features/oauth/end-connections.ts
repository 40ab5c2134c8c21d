import type { Queryable } from '../../db/database.ts'
import { revokeConnectionKey } from '../keys/revoke.ts'

/** Ends the connections that a user approved in a workspace, with their API keys: no token or code works after the commit. */
export async function endConnections(tx: Queryable, accountId: number, userId: string): Promise<void> {
  const live = await tx
    .selectFrom('oauth_grants as g')
    .innerJoin('api_keys as k', 'k.id', 'g.key_id')
    .select('k.id')
    .where('g.account_id', '=', accountId)
    .where('g.user_id', '=', userId)
    .where('k.deleted_at', 'is', null)
    .execute()
  for (const { id } of live) await revokeConnectionKey(tx, id)
}
