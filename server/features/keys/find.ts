import type pg from 'pg'

/** A live key as cached by the verifier. */
export interface FoundKey {
  keyId: number
  publicId: string
  accountId: number
  bucket: number
  scopes: string[] | null
  /** The account's limit; null: none. */
  rateLimitPerMinute: number | null
  /** The key's own limit; null: none. */
  keyRateLimitPerMinute: number | null
  /** In CIDR form; null: every address. */
  allowedNetworks: string[] | null
  /** Milliseconds until the key, or its pre-rotation value, expires; null: never. */
  expiresInMs: number | null
}

const found = (untilColumn: string) => `
    select id as "keyId", public_id as "publicId", account_id as "accountId", (select bucket from accounts a where a.id = account_id), scopes,
      account_rate_limit(account_id) as "rateLimitPerMinute",
      rate_limit_per_minute as "keyRateLimitPerMinute", allowed_networks::text[] as "allowedNetworks",
      extract(epoch from least(expires_at, ${untilColumn}) - app_now())::float8 * 1000 as "expiresInMs"
    from api_keys`
const isLive = `deleted_at is null and (expires_at is null or expires_at > app_now())`

// Two lookups, each by a unique index: an OR planned while the table was small would scan all keys.
const statement = {
  name: 'find-key',
  text: `${found('null')} where hash = $1 and ${isLive}
    union all ${found('previous_until')} where previous_hash = $1 and previous_until > app_now() and ${isLive}`,
}

/** The live key with this SHA-256, or null. One prepared query on two unique indexes. */
export async function findKey(pool: pg.Pool, hash: Buffer): Promise<FoundKey | null> {
  const { rows } = await pool.query<FoundKey>({ ...statement, values: [hash] })
  return rows[0] ?? null
}
