import type { OAuthScope } from '#contract/oauth-scopes.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { managesSql } from '../account/has-access.ts'
import { hashCredential } from './credentials.ts'
import { wholeResourceOf } from './endpoints.ts'

/** Who approved a token, for which workspace. */
export interface Grantee {
  grantId: string
  userId: string
  email: string
  accountId: number
  bucket: number
  role: 'owner' | 'admin'
  /** The workspace's public id. */
  workspaceId: string
}

/**
 * The grant of an access token that may call a route of the product API with this scope. Not cached, so a revoked token ends
 * at once. Throws unauthorized for tokens that are unknown, expired, revoked or for another audience; forbidden for a token
 * without the scope.
 */
export async function verifyAccountToken(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  token: string,
  scope: OAuthScope | undefined,
): Promise<Grantee> {
  const { rows } = await db.pool.query<Grantee & { scope: string }>({
    name: 'find-account-token',
    text: `
      select g.id as "grantId", g.user_id as "userId", p.email, a.id as "accountId", a.bucket, m.role, g.scope,
        a.public_id as "workspaceId"
      from oauth_credentials c join oauth_grants g on g.id = c.grant_id join api_keys k on k.id = g.key_id
        join accounts a on a.id = g.account_id join profiles p on p.user_id = g.user_id
        join account_members m on m.account_id = g.account_id and m.user_id = g.user_id
      where c.hash = $1 and c.kind = 'access' and c.resource = $2 and c.expires_at > app_now()
        and k.deleted_at is null and (k.expires_at is null or k.expires_at > app_now())
        and ${managesSql(config, 'g.user_id', 'g.account_id')}`,
    values: [hashCredential(token), wholeResourceOf(config)],
  })
  const [found] = rows
  if (!found) throw new AppError('unauthorized', 'This access token is expired, revoked, or for another server.')
  if (!scope || !found.scope.split(' ').includes(scope))
    throw new AppError(
      'forbidden',
      scope ? `This token lacks the scope ${scope}.` : 'This needs a person who is logged in.',
    )
  return found
}
