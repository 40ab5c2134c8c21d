/**
 * What is kept in this tab during sign-in: the ID of an authorization request, the code of a program (may be empty), the secret
 * of an invitation link or of an agent's, or the page that a visitor asked for, with the code of the link to it.
 */
type Pending = 'consent' | 'device' | 'invitation' | 'claim' | 'page' | 'entry'

/** If storage is blocked, nothing is kept: the client can ask again, and the emailed link can be opened again. */
export function keepPending(what: Pending, value: string): void {
  try {
    sessionStorage.setItem(`finmeter.${what}`, value)
  } catch {}
}

export function readPending(what: Pending): string | null {
  try {
    return sessionStorage.getItem(`finmeter.${what}`)
  } catch {
    return null
  }
}

export function forgetPending(what: Pending): void {
  try {
    sessionStorage.removeItem(`finmeter.${what}`)
  } catch {}
}

/** The page to open after sign-in: what the user started comes first, then the page they asked for. */
export function takeReturnPath(): string {
  if (readPending('consent')) return '/connect'
  if (readPending('device') !== null) return '/device'
  if (readPending('invitation')) return '/invitation'
  if (readPending('claim')) return '/claim'
  const page = readPending('page')
  // A page outside the dashboard wants a session of its own first.
  if (page && !page.startsWith('/dashboard')) return '/auth/enter'
  forgetPending('page')
  return page?.startsWith('/dashboard/') ? page : '/dashboard'
}

/** Removes the secret from the URL, so that it is not in the history, or returns the one stored before sign-in. */
export function takeSecret(what: 'invitation' | 'claim' | 'entry'): string | null {
  const given = location.hash.slice(1)
  if (given) history.replaceState(history.state, '', location.pathname + location.search)
  if (given) keepPending(what, given)
  return given || readPending(what)
}
