import { createHash, randomBytes } from 'node:crypto'
import type { UserContext } from '../../context.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { resolveWorkspace } from '../account/resolve-workspace.ts'
import type { Owner } from './store.ts'

export const TICKET_SECONDS = 60
const PREFIX = 'st_'

/**
 * A token that opens one stream of this person, once, within a minute: an access token would end up in logs and
 * history.
 */
export async function createTicket({ deps, actor }: UserContext): Promise<string> {
  const ticket = PREFIX + randomBytes(32).toString('base64url')
  await deps.db.pool.query(
    `with forgotten as (delete from playground_tickets where expires_at < app_now())
     insert into playground_tickets (hash, account_id, user_id, expires_at)
     values ($1, $2, $3, app_now() + make_interval(secs => $4))`,
    [hash(ticket), actor.accountId, actor.userId, TICKET_SECONDS],
  )
  return ticket
}

/**
 * The person whose stream `token` opens: a ticket, consumed by this, or an access token. Throws unauthorized. The caller
 * checks that the person still has access.
 */
export async function redeemToken({ db, accessTokens }: Deps, token: string): Promise<Owner> {
  if (!token.startsWith(PREFIX)) {
    const claims = await accessTokens.verify(token)
    const { accountId } = await resolveWorkspace(db.kysely, claims)
    return { accountId, userId: claims.sub }
  }
  const { rows } = await db.pool.query<Owner & { valid: boolean }>(
    `delete from playground_tickets where hash = $1
     returning account_id as "accountId", user_id as "userId", expires_at > app_now() as valid`,
    [hash(token)],
  )
  if (!rows[0]?.valid)
    throw new AppError(
      'unauthorized',
      'This stream ticket was already used or has expired. Request a new one and reconnect.',
    )
  return { accountId: rows[0].accountId, userId: rows[0].userId }
}

const hash = (ticket: string): Buffer => createHash('sha256').update(ticket).digest()
