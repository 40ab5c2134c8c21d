import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Caller } from '../metering/meter.ts'

/** A key that everybody may use without an account: open data, no credits, few calls. */
export const DEMO_KEY = 'demo'
const RATE_LIMIT_PER_MINUTE = 30

/** Who calls with the demo key. There is no account; the number stands for the address, and only counts its calls. */
export function demoCaller(address: string): Caller & { publicId: string; scopes: null } {
  // One household has one IPv6 prefix and as many addresses as it likes.
  const place = isIPv6(address) && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address
  const number = createHash('sha256').update(place).digest().readUInt32BE(0)
  return {
    accountId: -1 - number,
    keyId: null,
    publicId: DEMO_KEY,
    scopes: null,
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
  }
}

export const isDemo = ({ accountId }: Pick<Caller, 'accountId'>): boolean => accountId < 0
