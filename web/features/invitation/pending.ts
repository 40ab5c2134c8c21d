/** The secret of an invitation's link, kept in this tab while the person signs in. */
const storageKey = 'finmeter.invitation'

/** Takes the secret out of the address, so that it stays in no history, or remembers the one of before sign-in. */
export function takeInvitationToken(): string | null {
  const given = location.hash.slice(1)
  if (given) history.replaceState(history.state, '', location.pathname)
  if (given) keep(given)
  return given || pendingInvitation()
}

function keep(token: string): void {
  try {
    sessionStorage.setItem(storageKey, token)
  } catch {
    // Storage may be forbidden; the mail's link can be opened again after sign-in.
  }
}

export function pendingInvitation(): string | null {
  try {
    return sessionStorage.getItem(storageKey)
  } catch {
    return null
  }
}

export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Nothing was kept.
  }
}
