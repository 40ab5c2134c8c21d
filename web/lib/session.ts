import type { AuthChangeEvent, Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import { initialData } from './initial-data.ts'
import { loadSettings, type ProviderName } from './settings.ts'

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
  /** Signed in with a first factor only, where the person has a second. */
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
  if (typeof document === 'undefined') return false
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

/** Whether this browser lets the site keep anything; a sign-in needs it across the provider's pages. */
function storageWorks(): boolean {
  try {
    localStorage.setItem('finmeter.probe', '')
    localStorage.removeItem('finmeter.probe')
    return true
  } catch {
    return false
  }
}

/** The auth client, loaded at the first call; every auth change it reports becomes the session state. */
export function loadAuthClient() {
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

/** Whether this browser began a sign-in: a link from elsewhere must not put its own words on our login page. */
export const signInIsPending = () => {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(storageKey) && key.endsWith('-code-verifier'))
  } catch {
    return false
  }
}

/** Whether the person has a second factor that this session has yet to give. */
export function awaitsSecondFactor(session: Pick<Session, 'access_token' | 'user'> | null): boolean {
  if (!session?.user?.factors?.some(({ status }) => status === 'verified')) return false
  try {
    const claims = session.access_token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    return JSON.parse(atob(claims)).aal !== 'aal2'
  } catch {
    return false
  }
}

/** Begins the first session check. A browser without a stored session is a visitor and loads no auth code. */
export function startSession(): void {
  if (hasStoredSession()) void loadAuthClient()
  else setState({ user: null, loading: false, awaitsSecondFactor: false })
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
    drawnState,
  )
}

const visitor: SessionState = { user: null, loading: false, awaitsSecondFactor: false }
const checking: SessionState = { user: null, loading: true, awaitsSecondFactor: false }

/**
 * What the page was drawn for by the server; the browser's first drawing must agree with it. The state itself where it
 * says the same: another object would count as a change, and redraw what is just being taken over.
 */
function drawnState(): SessionState {
  const drawn = initialData()?.session === 'visitor' ? visitor : checking
  return state.loading === drawn.loading && state.user === drawn.user ? state : drawn
}

/** The access token, refreshed when it is about to expire; null without a session. */
export async function accessToken(): Promise<string | null> {
  if (!client && !hasStoredSession()) return null
  const { data } = await (await loadAuthClient()).getSession()
  return data.session?.access_token ?? null
}

/** Sends the browser to the provider. Throws with the provider's message when it cannot. */
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
  void loadAuthClient().then(async (auth) => {
    const { error } = await auth.refreshSession()
    // The library keeps a session whose access token has time left. This one's was refused, and now its refresh token too.
    if (error?.name === 'AuthApiError' && error.status !== 429) await auth.signOut({ scope: 'local' })
  })
}
