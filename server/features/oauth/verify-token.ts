import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { managesSql } from '../account/has-access.ts'
import type { TokenVerifier } from '../keys/credentials.ts'
import type { FoundKey } from '../keys/find.ts'
import { type VerifiedKey, verified } from '../keys/verify.ts'
import { ACCESS_PREFIX, hashCredential } from './credentials.ts'
import { resourceOf, wholeResourceOf } from './endpoints.ts'

export const isAccessToken = (presented: string): boolean => presented.startsWith(ACCESS_PREFIX)

const MAX_ENTRIES = 10_000
const MAX_AGE_MS = 60_000

const statement = (config: Config) => ({
  name: 'find-access-token',
  text: `
    select k.id as "keyId", k.public_id as "publicId", k.account_id as "accountId",
      (select bucket from accounts a where a.id = k.account_id), k.scopes,
      account_rate_limit(k.account_id) as "rateLimitPerMinute",
      k.rate_limit_per_minute as "keyRateLimitPerMinute", k.allowed_networks::text[] as "allowedNetworks",
      extract(epoch from c.expires_at - app_now())::float8 * 1000 as "expiresInMs", c.resource = $3 as "isWhole"
    from oauth_credentials c join oauth_grants g on g.id = c.grant_id join api_keys k on k.id = g.key_id
    where c.hash = $1 and c.kind = 'access' and c.resource in ($2, $3)
      and g.scope ~ '(^| )data:read( |$)' and c.expires_at > app_now()
      and k.deleted_at is null and (k.expires_at is null or k.expires_at > app_now())
      and ${managesSql(config, 'g.user_id', 'g.account_id')}`,
})

/** Caches tokens for a minute. Any change of a key, an account or a user's access clears the cache, and so does a lost listener. */
export function createTokenVerifier({
  config,
  db,
  listener,
}: {
  config: Config
  db: Database
  listener: Listener
}): TokenVerifier {
  const find = statement(config)
  const known = new Map<string, { key: VerifiedKey; isWhole: boolean; goodUntilMs: number }>()
  let changes = 0
  const forget = (): void => {
    changes += 1
    known.clear()
  }
  listener.on('key_changed', forget)
  listener.on('account_changed', forget)
  listener.on('access_changed', forget)
  listener.onLost(forget)
  const verify: TokenVerifier['verify'] = async (token, surface) => {
    const remembered = known.get(token)
    if (remembered && remembered.goodUntilMs > performance.now())
      return surface === 'mcp' || remembered.isWhole ? remembered.key : null
    const seen = changes
    const { rows } = await db.pool.query<FoundKey & { expiresInMs: number; isWhole: boolean }>({
      ...find,
      values: [hashCredential(token), resourceOf(config), wholeResourceOf(config)],
    })
    if (!rows[0]) return null
    const key = verified(rows[0])
    const { expiresInMs, isWhole } = rows[0]
    if (known.size >= MAX_ENTRIES) known.clear()
    if (listener.connected && seen === changes)
      known.set(token, { key, isWhole, goodUntilMs: performance.now() + Math.min(MAX_AGE_MS, expiresInMs) })
    return surface === 'mcp' || isWhole ? key : null
  }
  return { prefix: ACCESS_PREFIX, verify }
}
