import type pg from 'pg'

/** A live key as the verifier caches it. */
export interface FoundKey {
  keyId: number
  publicId: string
  accountId: number
  scopes: string[] | null
  /** Of the account; null: no limit. */
  rateLimitPerMinute: number | null
  /** Of the key itself; null: none of its own. */
  keyRateLimitPerMinute: number | null
  /** In CIDR form; null: every address. */
  allowedNetworks: string[] | null
  /** Milliseconds until the key expires, or until this value of it does after a rotation; null: never. */
  expiresInMs: number | null
}

const found = (untilColumn: string) => `
    select id as "keyId", public_id as "publicId", account_id as "accountId", scopes,
      account_rate_limit(account_id) as "rateLimitPerMinute",
      rate_limit_per_minute as "keyRateLimitPerMinute", allowed_networks::text[] as "allowedNetworks",
      extract(epoch from least(expires_at, ${untilColumn}) - app_now())::float8 * 1000 as "expiresInMs"
    from api_keys`
const isLive = `deleted_at is null and (expires_at is null or expires_at > app_now())`

// Two look-ups by a unique index each: for an OR of both, a plan made while the table was small reads all keys.
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
