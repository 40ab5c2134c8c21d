import { sql } from 'kysely'
import type { Actor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { endConnections } from '../oauth/end-connections.ts'

/**
 * Ends what a user started in a workspace as its owner or admin: the apps they connected and the open invitations they
 * sent. Call it under `lockAccount`, in the transaction that ends the role. API keys belong to the workspace and stay.
 */
export async function endManagement(tx: Queryable, actor: Actor, accountId: number, userId: string): Promise<void> {
  await endConnections(tx, accountId, userId)
  const revoked = await tx
    .updateTable('account_invitations')
    .set({ closed_at: sql`app_now()` })
    .where('account_id', '=', accountId)
    .where('invited_by', '=', userId)
    .where('closed_at', 'is', null)
    .returning(['public_id', 'email'])
    .execute()
  for (const { public_id, email } of revoked)
    await audit(tx, { accountId, actor, action: 'invitation.revoked', target: public_id, detail: { email } })
}
