/** Where a call's usage row is: with the account, enough to read it by index. Times are microseconds since 1970. */
export interface ReceiptRef {
  atMicros: number
  /** Batch id, a uuid. */
  batch: string
  /** The call's place in its batch, from 1. */
  n: number
}

const PREFIX = 'rcpt_'
const scratch = Buffer.alloc(26)
/** A batch has at most 1,000 calls: the last characters of their ids, precomputed. */
const places = Array.from({ length: 1001 }, (_, n) => placeText(n))

/** The opaque id that clients see. It opens a row only for the account that was charged. */
export const encodeReceiptId = ({ atMicros, batch, n }: ReceiptRef): string => receiptIdsOf(batch, atMicros)(n)

/**
 * Like `encodeReceiptId`, for the calls of one batch: time and batch are 24 bytes, so their 32 characters are shared.
 */
export function receiptIdsOf(batch: string, atMicros: number): (n: number) => string {
  scratch.writeBigUInt64BE(BigInt(atMicros), 0)
  scratch.write(batch.replaceAll('-', ''), 8, 16, 'hex')
  const start = PREFIX + scratch.toString('base64url', 0, 24)
  return (n) => start + (places[n] ?? placeText(n))
}

function placeText(n: number): string {
  scratch.writeUInt16BE(n, 24)
  return scratch.toString('base64url', 24, 26)
}

/** Null when the text is not a receipt id. */
export function decodeReceiptId(id: string): ReceiptRef | null {
  if (!/^rcpt_[A-Za-z0-9_-]{35}$/.test(id)) return null
  const bytes = Buffer.from(id.slice(PREFIX.length), 'base64url')
  const atMicros = Number(bytes.readBigUInt64BE(0))
  if (!Number.isSafeInteger(atMicros)) return null
  const batch = bytes.toString('hex', 8, 24).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { atMicros, batch, n: bytes.readUInt16BE(24) }
}
