import type { ApiKey } from '#contract/keys.ts'
import type { Deps } from '../../deps.ts'

/** Purpose of the encryption; the key's public id is its context. */
export const CIPHER_PURPOSE = 'api-key'

export interface KeyRow {
  id: number
  public_id: string
  name: string
  start: string
  ciphertext: Buffer | null
  created_at: Date
}

export interface KeyFigures {
  usageCount: number
  lastUsedAt: Date | null
}

/** What is shown where the key itself must not be. */
export const masked = (start: string): string => `${start}...`

/** The stored key in clear, or null: KEYS_REVEAL is once, no copy was kept, or it was kept under another KEYS_SECRET. */
export function reveal({ config, secrets, log }: Deps, row: KeyRow): string | null {
  if (config.KEYS_REVEAL !== 'always' || !row.ciphertext) return null
  try {
    return secrets.decrypt(CIPHER_PURPOSE, row.ciphertext, row.public_id)
  } catch {
    log.error({ keyId: row.public_id }, 'this key cannot be decrypted: was KEYS_SECRET changed?')
    return null
  }
}

/** The key as the contract shows it; `value` is the key or its masked text. */
export function presentKey(
  row: Pick<KeyRow, 'public_id' | 'name' | 'created_at'>,
  value: string,
  figures?: KeyFigures,
): ApiKey {
  return {
    id: row.public_id,
    name: row.name,
    unkey: value,
    apiKey: value,
    created_at: row.created_at.toISOString(),
    usage_count: figures?.usageCount ?? 0,
    last_used_at: figures?.lastUsedAt?.toISOString() ?? null,
  }
}
