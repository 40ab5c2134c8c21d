import { isUuid } from '../../http/uuid.ts'
import type { Secrets } from '../../secrets/secrets.ts'

const PURPOSE = 'account_invitations.token'

/** The secret in a mailed link: the invitation's id, and a MAC of the id and the number of times it was sent. */
export function invitationToken(secrets: Secrets, publicId: string, sends: number): string {
  return `${publicId}.${secrets.mac(PURPOSE, `${publicId}:${sends}`).toString('base64url')}`
}

/** The invitation id in a token, or null if it is not a token. The token is not verified yet: see `isCurrent`. */
export function invitationIdOf(token: string): string | null {
  const id = token.split('.', 1)[0]!
  return isUuid(id) ? id : null
}

/** Whether the token is the most recently sent one. */
export function isCurrent(secrets: Secrets, token: string, publicId: string, sends: number): boolean {
  const [id, mac = '', ...more] = token.split('.')
  const given = Buffer.from(mac, 'base64url')
  // Base64 has several spellings for the same bytes; a token has one.
  const plain = id === publicId && more.length === 0 && given.toString('base64url') === mac
  return plain && secrets.isMac(PURPOSE, `${publicId}:${sends}`, given)
}
