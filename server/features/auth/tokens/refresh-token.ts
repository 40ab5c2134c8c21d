import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const VERSION = 1
const SIGNED_BYTES = 1 + 16 + 8
const MAC_BYTES = 16
const CHECKSUM_BYTES = 4
const TOKEN_BYTES = SIGNED_BYTES + MAC_BYTES + CHECKSUM_BYTES

export interface RefreshToken {
  sessionId: string
  counter: number
  /** True when the token was made with this session's key. */
  signedWith: (key: Buffer) => boolean
}

/**
 * base64url(version, session id, counter, HMAC-SHA-256 cut to 16 bytes, CRC-32). The current token of a session can
 * be derived again at any time, so none is stored.
 */
export function encodeRefreshToken(sessionId: string, counter: number, key: Buffer): string {
  const token = Buffer.alloc(TOKEN_BYTES)
  token.writeUInt8(VERSION)
  token.write(sessionId.replaceAll('-', ''), 1, 'hex')
  token.writeBigUInt64BE(BigInt(counter), 17)
  mac(token.subarray(0, SIGNED_BYTES), key).copy(token, SIGNED_BYTES)
  token.writeUInt32BE(crc32(token.subarray(0, SIGNED_BYTES + MAC_BYTES)), SIGNED_BYTES + MAC_BYTES)
  return token.toString('base64url')
}

/** null: not a refresh token of ours; the checksum tells without a look into the database. */
export function decodeRefreshToken(text: string): RefreshToken | null {
  const token = Buffer.from(text, 'base64url')
  if (token.length !== TOKEN_BYTES || token.toString('base64url') !== text || token.readUInt8() !== VERSION) return null
  if (token.readUInt32BE(SIGNED_BYTES + MAC_BYTES) !== crc32(token.subarray(0, SIGNED_BYTES + MAC_BYTES))) return null
  const counter = token.readBigUInt64BE(17)
  if (counter > BigInt(Number.MAX_SAFE_INTEGER)) return null
  const signed = token.subarray(0, SIGNED_BYTES)
  const given = token.subarray(SIGNED_BYTES, SIGNED_BYTES + MAC_BYTES)
  return {
    sessionId: token.toString('hex', 1, 17).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: Number(counter),
    signedWith: (key) => timingSafeEqual(mac(signed, key), given),
  }
}

const mac = (signed: Buffer, key: Buffer): Buffer =>
  createHmac('sha256', key).update(signed).digest().subarray(0, MAC_BYTES)
