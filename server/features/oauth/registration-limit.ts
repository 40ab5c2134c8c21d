import { OAuthError } from './oauth-error.ts'

const WINDOW_MS = 3_600_000
const MAX_PER_ADDRESS = 60
const MAX_ADDRESSES = 10_000

/** Registration needs no sign-in: an address may do it some times an hour. Throws OAuthError above that. */
export function createRegistrationLimit(): (address: string) => void {
  let windowEndsAtMs = 0
  const counts = new Map<string, number>()
  return (address) => {
    if (performance.now() > windowEndsAtMs || counts.size > MAX_ADDRESSES) {
      counts.clear()
      windowEndsAtMs = performance.now() + WINDOW_MS
    }
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    if (count > MAX_PER_ADDRESS)
      throw new OAuthError('temporarily_unavailable', 'Too many registrations from this address. Try again later.', 429)
  }
}
