import type pg from 'pg'

/** A live key as the verifier caches it. */
export interface FoundKey {
  keyId: number
  publicId: string
  accountId: number
  scopes: string[] | null
  /** null: no limit. */
  rateLimitPerMinute: number | null
  /** Milliseconds until the key expires; null: never. */
  expiresInMs: number | null
}

const statement = {
  name: 'find-key',
  text: `
    select id as "keyId", public_id as "publicId", account_id as "accountId", scopes,
      account_rate_limit(account_id) as "rateLimitPerMinute",
      extract(epoch from expires_at - app_now())::float8 * 1000 as "expiresInMs"
    from api_keys
    where hash = $1 and deleted_at is null and (expires_at is null or expires_at > app_now())`,
}

/** The live key with this SHA-256, or null. One prepared query on a unique index. */
export async function findKey(pool: pg.Pool, hash: Buffer): Promise<FoundKey | null> {
  const { rows } = await pool.query<FoundKey>({ ...statement, values: [hash] })
  return rows[0] ?? null
}
