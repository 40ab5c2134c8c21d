import AuthClient from '@supabase/auth-js/dist/module/AuthClient'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** The specification's statements about the auth library, checked against the installed release. */
const url = 'http://localhost:3000/auth/v1'

function storage(entries: Record<string, unknown> = {}) {
  const held = new Map(Object.entries(entries).map(([key, value]) => [key, JSON.stringify(value)]))
  return {
    held,
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  }
}

type Options = NonNullable<ConstructorParameters<typeof AuthClient>[0]>

const client = (options: Options = {}) =>
  new AuthClient({ url, storageKey: 'session', autoRefreshToken: false, detectSessionInUrl: false, ...options })

interface FromUrl {
  _getSessionFromURL: (
    params: Record<string, string>,
    type: 'implicit' | 'pkce',
  ) => Promise<{ error: { message: string } | null }>
}

const fromUrl = (flowType: 'implicit' | 'pkce', params: Record<string, string>, type: 'implicit' | 'pkce') =>
  (client({ flowType }) as unknown as FromUrl)._getSessionFromURL(params, type)

beforeEach(() => {
  // The library warns of several clients in one process.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.stubGlobal('window', { location: { href: 'http://localhost:3000/auth/callback', hash: '' } })
  vi.stubGlobal('document', {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const whole = { access_token: 'a', refresh_token: 'r', expires_in: '3600', token_type: 'bearer' }
const without = (name: keyof typeof whole) => Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name))

test.each([
  ['an access token', without('access_token'), 'No session defined in URL'],
  ['a lifetime', without('expires_in'), 'No session defined in URL'],
  ['a refresh token', without('refresh_token'), 'No session defined in URL'],
  ['a token type', without('token_type'), 'No session defined in URL'],
])('an address without %s has no session', async (_, params, message) => {
  expect((await fromUrl('implicit', params, 'implicit')).error?.message).toBe(message)
})

test.each([
  ['PKCE without a code', 'pkce', {}, 'pkce', 'No code detected.'],
  ['an implicit address under PKCE', 'pkce', whole, 'implicit', 'Not a valid PKCE flow url.'],
  ['a PKCE address under implicit', 'implicit', { code: 'c' }, 'pkce', 'Not a valid implicit grant flow url.'],
  ['an error', 'pkce', { error: 'x' }, 'pkce', 'Error in URL with unspecified error_description'],
  ['an error with its description', 'pkce', { error: 'x', error_description: 'Denied' }, 'pkce', 'Denied'],
] as const)('%s is refused', async (_, flow, params, type, message) => {
  expect((await fromUrl(flow, params, type)).error?.message).toBe(message)
})

test('there is no session from an address outside a browser', async () => {
  vi.unstubAllGlobals()
  expect((await fromUrl('implicit', whole, 'implicit')).error?.message).toBe('No browser detected.')
})

test.each([
  [119, 0],
  [121, 1],
])('a session from an address that is %i s old warns %i times', async (age, warnings) => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.stubGlobal('fetch', async () => Response.json({ id: 'u' }))
  // The library rounds to seconds, too: none may turn in between.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const expires_at = String(Math.round(Date.now() / 1000) + 3600 - age)
  await fromUrl('implicit', { ...whole, expires_at }, 'implicit')
  expect(warned.mock.calls.filter(([text]) => /issued over 120s ago/.test(String(text)))).toHaveLength(warnings)
})

const stored = { access_token: 'a', refresh_token: 'r', expires_at: 4_000_000_000, user: { id: 'u' } }

test.each(['access_token', 'refresh_token', 'expires_at'])(
  'a stored session without %s is invalid and is removed',
  async (name) => {
    const kept = storage({ session: Object.fromEntries(Object.entries(stored).filter(([key]) => key !== name)) })
    expect((await client({ storage: kept }).getSession()).data.session).toBeNull()
    expect(kept.held.has('session')).toBe(false)
  },
)

test('a stored session with all three is valid', async () => {
  expect((await client({ storage: storage({ session: stored }) }).getSession()).data.session?.access_token).toBe('a')
})

test('a refresh without a refresh token says that the session is missing', async () => {
  expect((await client({ storage: storage() }).refreshSession()).error?.name).toBe('AuthSessionMissingError')
})

test('a retryable refresh is retried after 200 ms, then after twice as long each time', async () => {
  vi.useFakeTimers()
  const attempts: number[] = []
  const begin = Date.now()
  vi.stubGlobal('fetch', async () => {
    attempts.push(Date.now() - begin)
    return new Response('{}', { status: 503 })
  })
  const refresh = client() as unknown as { _refreshAccessToken: (token: string) => Promise<unknown> }
  const done = refresh._refreshAccessToken('r')
  await vi.advanceTimersByTimeAsync(3_000)
  expect(attempts).toEqual([0, 200, 600, 1400, 3000])
  await vi.advanceTimersByTimeAsync(60_000)
  await done
})
