import { timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../secrets/secrets.ts'
import type { UnitPrice } from './door-price.ts'

/** What a settlement needs to know about its hold. The token carries it, so that nothing is stored for each call. */
export interface HeldCall {
  /** The id of the hold in the database. */
  holdId: string
  accountId: number
  bucket: number
  keyId: number
  toolId: number
  /** Only the service key that authorized it may settle it. */
  serviceKeyId: number
  price: UnitPrice
  /** Credits that were set aside. */
  most: number
  /** Made by `doorKey`; null: the caller sent none. */
  idempotencyKey: string | null
  authorizedAtMs: number
}

const PREFIX = 'hold_'
const PURPOSE = 'meter-hold'
const MAC_BYTES = 16

const macOf = (mac: Buffer): Buffer => mac.subarray(0, MAC_BYTES)

/** The hold as services see it. It says nothing that opens anything without a service key. */
export function writeHold({ mac }: Pick<Secrets, 'mac'>, call: HeldCall): string {
  const { holdId, accountId, bucket, keyId, toolId, serviceKeyId, price, most, idempotencyKey } = call
  const { credits, per } = price
  const parts = [holdId, accountId, bucket, keyId, toolId, serviceKeyId, credits, per, most, idempotencyKey]
  const body = Buffer.from(JSON.stringify([...parts, call.authorizedAtMs])).toString('base64url')
  return `${PREFIX}${body}.${macOf(mac(PURPOSE, body)).toString('base64url')}`
}

/** Null for anything that this installation did not write for this service key: another's hold looks like none. */
export function readHold(
  { mac, previousMac }: Pick<Secrets, 'mac' | 'previousMac'>,
  serviceKeyId: number,
  token: string,
): HeldCall | null {
  const [, body, given] = /^hold_([\w-]+)\.([\w-]{22})$/.exec(token) ?? []
  if (!body || !given) return null
  const presented = Buffer.from(given, 'base64url')
  if (![mac, previousMac].some((one) => timingSafeEqual(macOf(one(PURPOSE, body)), presented))) return null
  const [holdId, accountId, bucket, keyId, toolId, owner, credits, per, most, idempotencyKey, authorizedAtMs] =
    JSON.parse(Buffer.from(body, 'base64url').toString())
  if (owner !== serviceKeyId) return null
  const price = { credits, per }
  return { holdId, accountId, bucket, keyId, toolId, serviceKeyId, price, most, idempotencyKey, authorizedAtMs }
}
