import type { Caller } from '../metering/meter.ts'

/** By whom calls in progress are counted: the key, or the address that uses the demo key. */
export const callsOf = ({ keyId, accountId }: Caller): string => String(keyId ?? -accountId)
