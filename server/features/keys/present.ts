import type { ApiKey, KeyScope } from '#contract/keys.ts'
import type { UserActor } from '../../context.ts'
import type { Deps } from '../../deps.ts'
import { mayManage } from '../account/require-role.ts'

/** Encryption purpose. The context is the key's public id. */
export const CIPHER_PURPOSE = 'api-key'

export interface KeyRow {
  id: number
  public_id: string
  name: string
  start: string
  ciphertext: Buffer | null
  created_at: Date
  scopes: string[] | null
  expires_at: Date | null
  rate_limit_per_minute: number | null
  allowed_networks: string[] | null
  previous_until: Date | null
  monthly_budget: number | null
  budget_left: number | null
  last_used_address: string | null
  last_used_client: string | null
}

export interface KeyFigures {
  usageCount: number
  lastUsedAt: Date | null
}

/** Owners and admins see keys in clear, but not through a program, whose token would be worth every key, nor does support. */
export const mayReveal = (actor: UserActor): boolean => mayManage(actor) && !actor.isProgram && !actor.isView

/** Shown in place of the key. */
export const masked = (start: string): string => `${start}...`

/**
 * The stored key in clear, or null: KEYS_REVEAL is once, no copy was stored, or it was encrypted with another
 * KEYS_SECRET.
 */
export function reveal({ config, secrets, log }: Deps, row: KeyRow): string | null {
  if (config.KEYS_REVEAL !== 'always' || !row.ciphertext) return null
  try {
    return secrets.decrypt(CIPHER_PURPOSE, row.ciphertext, row.public_id)
  } catch {
    log.error({ keyId: row.public_id }, 'this key cannot be decrypted: was KEYS_SECRET changed?')
    return null
  }
}

/** The key as in the contract. `value` is the key or its masked text. */
export function presentKey(
  row: Omit<KeyRow, 'id' | 'start' | 'ciphertext'>,
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
    last_used_address: row.last_used_address,
    last_used_client: row.last_used_client,
    scopes: row.scopes as KeyScope[] | null,
    expires_at: row.expires_at?.toISOString() ?? null,
    monthly_budget: row.monthly_budget,
    budget_left: row.budget_left,
    rate_limit: row.rate_limit_per_minute,
    allowed_networks: row.allowed_networks,
    previous_until: row.previous_until?.toISOString() ?? null,
  }
}
