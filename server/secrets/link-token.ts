import { isUuid } from '../http/uuid.ts'
import type { Secrets } from './secrets.ts'

/** What a link is for. */
type Purpose = 'account_invitations.token' | 'agent_balances.link'

/** The secret in a link: the id of what it is about, and a MAC of the id and the number of links so far. Nothing of it is stored. */
export function linkToken(secrets: Secrets, purpose: Purpose, publicId: string, count: number): string {
  return `${publicId}.${secrets.mac(purpose, `${publicId}:${count}`).toString('base64url')}`
}

/** The id in a token, or null if it is not a token. The token is not verified yet: see `isCurrent`. */
export function idInLink(token: string): string | null {
  const id = token.split('.', 1)[0]!
  return isUuid(id) ? id : null
}

/** Whether the token is that of the newest link. */
export function isCurrent(secrets: Secrets, purpose: Purpose, token: string, publicId: string, count: number): boolean {
  const [id, mac = '', ...more] = token.split('.')
  const given = Buffer.from(mac, 'base64url')
  // Base64 has several spellings for the same bytes; a token has one.
  const plain = id === publicId && more.length === 0 && given.toString('base64url') === mac
  return plain && secrets.isMac(purpose, `${publicId}:${count}`, given)
}
