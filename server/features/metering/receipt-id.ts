/** Where a call's usage row is: with the account, enough to read it by index. Times are microseconds since 1970. */
export interface ReceiptRef {
  atMicros: number
  /** Batch id, a uuid. */
  batch: string
  /** Place of the call in its batch, from 1. */
  n: number
}

const PREFIX = 'rcpt_'
const scratch = Buffer.alloc(26)

/** The opaque text that clients see. It opens a row for the account that was charged, for nobody else. */
export function encodeReceiptId({ atMicros, batch, n }: ReceiptRef): string {
  scratch.writeBigUInt64BE(BigInt(atMicros), 0)
  scratch.write(batch.replaceAll('-', ''), 8, 16, 'hex')
  scratch.writeUInt16BE(n, 24)
  return PREFIX + scratch.toString('base64url')
}

/** Null when the text is no receipt id. */
export function decodeReceiptId(id: string): ReceiptRef | null {
  if (!/^rcpt_[A-Za-z0-9_-]{35}$/.test(id)) return null
  const bytes = Buffer.from(id.slice(PREFIX.length), 'base64url')
  const atMicros = Number(bytes.readBigUInt64BE(0))
  if (!Number.isSafeInteger(atMicros)) return null
  const batch = bytes.toString('hex', 8, 24).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { atMicros, batch, n: bytes.readUInt16BE(24) }
}
