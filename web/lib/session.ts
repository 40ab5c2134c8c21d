import type { AuthChangeEvent, Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import type { ProviderName } from './settings.ts'

/** The signed-in person as the access token's user describes them; every field but the id may be missing. */
export interface SessionUser {
  id: string
  email: string | null
  fullName: string | null
  avatarUrl: string | null
}

export interface SessionState {
  user: SessionUser | null
  /** True until the first session check is complete. */
  loading: boolean
}

const storageKey = 'supabase.auth.token'

let state: SessionState = { user: null, loading: true }
let client: Promise<typeof import('./auth-client.ts').authClient> | undefined
const listeners = new Set<() => void>()

function setState(next: SessionState): void {
  if (next.loading === state.loading && sameUser(next.user, state.user)) return
  state = next
  for (const listener of listeners) listener()
}

const sameUser = (a: SessionUser | null, b: SessionUser | null) =>
  a?.id === b?.id && a?.email === b?.email && a?.fullName === b?.fullName && a?.avatarUrl === b?.avatarUrl

const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null)

/** The person of a session of the auth library, with absent and blank fields as null. */
export function userOf(session: Pick<Session, 'user'> | null): SessionUser | null {
  if (!session?.user) return null
  const metadata = session.user.user_metadata ?? {}
  return {
    id: session.user.id,
    email: text(session.user.email),
    fullName: text(metadata.full_name),
    avatarUrl: text(metadata.avatar_url),
  }
}

/** Whether this browser holds a session; it may have ended meanwhile. */
export const hasStoredSession = () => {
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

/** The auth client, loaded at the first call; every auth change it reports becomes the session state. */
export function loadAuthClient() {
  client ??= import('./auth-client.ts').then(({ authClient }) => {
    authClient.onAuthStateChange((_event: AuthChangeEvent, session: Session | null) =>
      setState({ user: userOf(session), loading: false }),
    )
    return authClient
  })
  return client
}

/** Begins the first session check. A browser without a stored session is a visitor and loads no auth code. */
export function startSession(): void {
  if (hasStoredSession()) void loadAuthClient()
  else setState({ user: null, loading: false })
  // Signed in by another tab while this one has not loaded the client.
  addEventListener('storage', (event) => {
    if (event.key === storageKey && event.newValue) void loadAuthClient()
  })
}

/** Who is signed in, and whether the first check is still under way. */
export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
    () => state,
  )
}

/** The access token, refreshed when it is about to expire; null without a session. */
export async function accessToken(): Promise<string | null> {
  if (!client && !hasStoredSession()) return null
  const { data } = await (await loadAuthClient()).getSession()
  return data.session?.access_token ?? null
}

/** Sends the browser to the provider. Throws with the provider's message when it cannot. */
export async function signInWith(provider: ProviderName): Promise<void> {
  const auth = await loadAuthClient()
  const { error } = await auth.signInWithOAuth({
    provider,
    options: { redirectTo: `${location.origin}/auth/callback` },
  })
  if (error) throw error
}

/** Ends the session here and on the server; when the server cannot be reached, at least here. */
export async function signOut(): Promise<void> {
  const auth = await loadAuthClient()
  const { error } = await auth.signOut()
  if (error) await auth.signOut({ scope: 'local' })
}

let recheckedAt = Number.NEGATIVE_INFINITY

/** After the server refused the token: a refresh either mends the session or ends it, which the state then shows. */
export function recheckSession(): void {
  // At most once a minute: a server that refuses fresh tokens must not be answered with a storm of refreshes.
  if (performance.now() - recheckedAt < 60_000) return
  recheckedAt = performance.now()
  void loadAuthClient().then((auth) => auth.refreshSession())
}
