import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What both ends must share: the secret, and a text that names the database and the release. */
export interface SharedSecret {
  key: Buffer
  about: string
}

type Role = 'owner' | 'sender'

export const newNonce = (): string => randomBytes(16).toString('hex')

export const isNonce = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{32}$/.test(text)

/** Proves in a role that this end has the secret: for both nonces, so that a proof cannot be used again or sent back. */
export const prove = ({ key, about }: SharedSecret, role: Role, sender: string, owner: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([about, role, sender, owner]))
    .digest('hex')

export function isProof(given: unknown, shared: SharedSecret, role: Role, sender: string, owner: string): boolean {
  const wanted = Buffer.from(prove(shared, role, sender, owner))
  const got = Buffer.from(typeof given === 'string' ? given : '')
  return got.length === wanted.length && timingSafeEqual(got, wanted)
}
