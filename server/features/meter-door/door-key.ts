import { createHash } from 'node:crypto'
import type { ServiceKey } from './verify-service-key.ts'

/**
 * An idempotency key of the meter for one that came through this door. The two kinds never meet: customers send keys of their
 * own to the Data API, for the same account.
 */
export const doorKey = ({ id }: ServiceKey, given: string): string =>
  `door ${createHash('sha256').update(`${id} ${given}`).digest('base64url')}`
