import { AuthError, invalid } from './errors.ts'
import { plainEmail } from './providers/provider.ts'

/** One plain address in lower case. Throws 400 validation_failed. */
export function readEmail(given: string): string {
  const email = plainEmail(given.trim())
  if (!email) throw invalid('Unable to validate email address: invalid format')
  return email
}

/** A number in E.164 without its plus, as clients read it. Throws 400 validation_failed. */
export function readPhone(given: string): string {
  const phone = given.replaceAll(/[\s()-]/g, '').replace(/^\+/, '')
  if (!/^[1-9]\d{6,14}$/.test(phone)) throw invalid('Invalid phone number format (E.164 required)')
  return phone
}

/** The address or number that the caller named, checked. Throws for both or neither. */
export function readAddress(
  { email, phone }: { email?: string; phone?: string },
  both: string,
): { kind: 'email'; address: string } | { kind: 'phone'; address: string } {
  if (email && phone) throw invalid(both)
  if (email) return { kind: 'email', address: readEmail(email) }
  if (phone) return { kind: 'phone', address: readPhone(phone) }
  throw invalid('missing email or phone')
}

export const emailOff = (status: number, text: string): AuthError =>
  new AuthError(status, 'email_provider_disabled', text)
export const phoneOff = (status: number, text: string): AuthError =>
  new AuthError(status, 'phone_provider_disabled', text)
