/** The request of an MCP client, kept in this tab while the person signs in. */
const storageKey = 'finmeter.consent'

export function keepConsentRequest(id: string): void {
  try {
    sessionStorage.setItem(storageKey, id)
  } catch {
    // Storage may be forbidden; the client can ask again after sign-in.
  }
}

export function pendingConsentRequest(): string | null {
  try {
    return sessionStorage.getItem(storageKey)
  } catch {
    return null
  }
}

export function forgetConsentRequest(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Nothing was kept.
  }
}
