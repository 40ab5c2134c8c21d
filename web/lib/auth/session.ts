import type { AuthChangeEvent, Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import { initialData } from '../initial-data.ts'
import { loadSettings, type ProviderName } from '../settings.ts'
import { leaveView, view } from './view.ts'

/** The signed-in user from the access token; every field except the id may be missing. */
export interface SessionUser {
  id: string
  email: string | null
  fullName: string | null
  avatarUrl: string | null
}

export interface SessionState {
  user: SessionUser | null
  loading: boolean
  /** Signed in with the first factor only, although the user has a second. */
  awaitsSecondFactor: boolean
}

const storageKey = 'supabase.auth.token'

let state: SessionState = { user: null, loading: true, awaitsSecondFactor: false }
let client: Promise<ReturnType<typeof import('./auth-client.ts').createAuthClient>> | undefined
const listeners = new Set<() => void>()

function setState(next: SessionState): void {
  const same = next.loading === state.loading && next.awaitsSecondFactor === state.awaitsSecondFactor
  if (same && sameUser(next.user, state.user)) return
  state = next
  for (const listener of listeners) listener()
}

const sameUser = (a: SessionUser | null, b: SessionUser | null) =>
  a?.id === b?.id && a?.email === b?.email && a?.fullName === b?.fullName && a?.avatarUrl === b?.avatarUrl

const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null)

/** The user of an auth-js session; absent and blank fields become null. */
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

/** Whether this browser has a stored session, which may have ended. */
export const hasStoredSession = () => {
  if (typeof document === 'undefined') return false
  if (view) return true
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

/** Whether this browser allows storage; sign-in needs it across the provider's pages. */
function storageWorks(): boolean {
  try {
    localStorage.setItem('finmeter.probe', '')
    localStorage.removeItem('finmeter.probe')
    return true
  } catch {
    return false
  }
}

/** The auth client, loaded on first call; every auth change updates the session state. Rejects in a view: its pages are not of the person signed in. */
export function loadAuthClient() {
  if (view) return Promise.reject(new Error('Not in a view.'))
  client ??= Promise.all([import('./auth-client.ts'), loadSettings()]).then(([{ createAuthClient }, { auth }]) => {
    const made = createAuthClient(auth, storageKey)
    made.onAuthStateChange((_event: AuthChangeEvent, session: Session | null) =>
      setState({ user: userOf(session), loading: false, awaitsSecondFactor: awaitsSecondFactor(session) }),
    )
    return made
  })
  client.catch(() => {
    client = undefined
  })
  return client
}

/** Whether this browser started a sign-in: a link from elsewhere must not put its text on our login page. */
export const signInIsPending = () => {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(storageKey) && key.endsWith('-code-verifier'))
  } catch {
    return false
  }
}

/** Whether the user has a second factor that this session has not verified. */
export function awaitsSecondFactor(session: Pick<Session, 'access_token' | 'user'> | null): boolean {
  if (!session?.user?.factors?.some(({ status }) => status === 'verified')) return false
  try {
    const claims = session.access_token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    return JSON.parse(atob(claims)).aal !== 'aal2'
  } catch {
    return false
  }
}

/** As auth-js: a session that ends sooner is refreshed first. */
const marginMs = 90_000

/**
 * The stored session if it is whole and needs no refresh, as the auth client would return it; null: only the client can
 * tell.
 */
function storedSession(): Session | null {
  try {
    const session = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as Session | null
    const isWhole = session?.access_token && session.refresh_token && session.user?.id
    return isWhole && session.expires_at! * 1000 - Date.now() > marginMs ? session : null
  } catch {
    return null
  }
}

/** Leaves time for the page's own requests and code; the client keeps the session fresh from then on. */
const clientAfterMs = 2000

/** Starts the first session check. Without a stored session no auth code is loaded; with a valid one it is loaded after the page. */
export function startSession(): void {
  if (view) {
    const { userId: id, email } = view
    setState({ user: { id, email, fullName: null, avatarUrl: null }, loading: false, awaitsSecondFactor: false })
    return
  }
  const stored = storedSession()
  if (stored) {
    setState({ user: userOf(stored), loading: false, awaitsSecondFactor: awaitsSecondFactor(stored) })
    setTimeout(() => void loadAuthClient(), clientAfterMs)
  } else if (hasStoredSession()) void loadAuthClient()
  else setState({ user: null, loading: false, awaitsSecondFactor: false })
  // Another tab signed in before this one loaded the client.
  addEventListener('storage', (event) => {
    if (event.key === storageKey && event.newValue) void loadAuthClient()
  })
}

/** The signed-in user, and whether the first session check is still running. */
export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
    renderedState,
  )
}

const visitor: SessionState = { user: null, loading: false, awaitsSecondFactor: false }
const checking: SessionState = { user: null, loading: true, awaitsSecondFactor: false }

/**
 * The session state that the server rendered the page with, which the first client render must match. If it equals the
 * current state, returns that same object: a new one would trigger a render during hydration.
 */
function renderedState(): SessionState {
  const drawn = initialData()?.session === 'visitor' ? visitor : checking
  return state.loading === drawn.loading && state.user === drawn.user ? state : drawn
}

/** The access token, refreshed shortly before it expires; null without a session. */
export async function accessToken(): Promise<string | null> {
  if (view) return view.token
  const stored = client ? null : storedSession()
  if (stored) return stored.access_token
  if (!client && !hasStoredSession()) return null
  const { data } = await (await loadAuthClient()).getSession()
  return data.session?.access_token ?? null
}

/** Redirects to the provider. Throws the provider's message on failure. */
export async function signInWith(provider: ProviderName): Promise<void> {
  if (!storageWorks())
    throw new Error('This browser blocks storage for this site, and signing in needs it. Allow it and try again.')
  const auth = await loadAuthClient()
  const { error } = await auth.signInWithOAuth({
    provider,
    options: { redirectTo: `${location.origin}/auth/callback` },
  })
  if (error) throw error
}

/** Signs out here and on the server; if the server cannot be reached, only here. */
export async function signOut(): Promise<void> {
  const auth = await loadAuthClient()
  const { error } = await auth.signOut()
  if (error) await auth.signOut({ scope: 'local' })
}

let recheckedAt = Number.NEGATIVE_INFINITY

/** Called after the server rejected the token: a refresh either restores the session or ends it. */
export function recheckSession(): void {
  if (view) {
    void leaveView()
    return
  }
  // At most once a minute: a server that rejects fresh tokens must not cause a storm of refreshes.
  if (performance.now() - recheckedAt < 60_000) return
  recheckedAt = performance.now()
  void loadAuthClient().then(async (auth) => {
    const { error } = await auth.refreshSession()
    // auth-js keeps a session whose access token has not expired, but this one was rejected, and so was its refresh
    // token.
    if (error?.name === 'AuthApiError' && error.status !== 429) await auth.signOut({ scope: 'local' })
  })
}
