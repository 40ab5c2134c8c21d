import { createHash } from 'node:crypto'
import { addressKey } from '../../http/limits/address-key.ts'
import type { Caller } from '../metering/meter.ts'

/** A key that everybody may use without an account: open data, no credits, few calls. */
export const DEMO_KEY = 'demo'
const RATE_LIMIT_PER_MINUTE = 30

/**
 * A caller with the demo key. There is no account: the number is derived from the address and only used to count its
 * calls.
 */
export function demoCaller(address: string): Caller & { publicId: string; scopes: null } {
  const number = createHash('sha256').update(addressKey(address)).digest().readUInt32BE(0)
  return {
    accountId: -1 - number,
    bucket: 0,
    keyId: null,
    publicId: DEMO_KEY,
    scopes: null,
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
  }
}

export const isDemo = ({ accountId }: Pick<Caller, 'accountId'>): boolean => accountId < 0
