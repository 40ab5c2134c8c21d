import { GoTrueClient, type Session } from '@supabase/auth-js'
import { type Browser, createBrowser } from './browser.ts'

export interface AuthClient {
  client: GoTrueClient
  /** Every request that the client sent. */
  requests: { method: string; url: string; status: number }[]
}

/** The unmodified client, in memory, with the flow that the product uses. */
export function createClient(serverUrl: string): AuthClient {
  const requests: AuthClient['requests'] = []
  const kept = new Map<string, string>()
  const client = new GoTrueClient({
    url: `${serverUrl}/auth/v1`,
    flowType: 'pkce',
    autoRefreshToken: false,
    persistSession: true,
    detectSessionInUrl: false,
    storageKey: `test-${Math.random()}`,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      requests.push({ method: init?.method ?? 'GET', url: String(input), status: response.status })
      return response
    },
  })
  return { client, requests }
}

export interface SignInOptions {
  provider: 'google' | 'github'
  email: string
  browser?: Browser
  redirectTo?: string
}

/** Walks to the provider and back, answered there at once for `email`; returns the address that the browser ends at. */
export async function walk(
  serverUrl: string,
  client: GoTrueClient,
  { provider, email, browser = createBrowser(), redirectTo = `${serverUrl}/auth/callback` }: SignInOptions,
): Promise<URL> {
  const { data, error } = await client.signInWithOAuth({
    provider,
    options: { redirectTo, skipBrowserRedirect: true, queryParams: { login_hint: email, prompt: 'none' } },
  })
  if (error || !data.url) throw error ?? new Error('no url')
  return browser.follow(data.url, isOnTheWay)
}

/** An address that a browser passes on its way from the provider and back. */
export const isOnTheWay = ({ pathname }: URL): boolean => /^\/(auth\/v1|sandbox)\//.test(pathname)

/** Links the GitHub account of `email` as the person of `client`; returns the address at which the provider sends them back. */
export async function linkGithub(
  serverUrl: string,
  client: GoTrueClient,
  { email, browser = createBrowser(), redirectTo = `${serverUrl}/settings` }: Omit<SignInOptions, 'provider'>,
): Promise<URL> {
  const { data, error } = await client.linkIdentity({
    provider: 'github',
    options: { redirectTo, skipBrowserRedirect: true, queryParams: { login_hint: email, prompt: 'none' } },
  })
  if (error) throw error
  return browser.follow(data.url, isOnTheWay)
}

export interface SignedIn extends AuthClient {
  session: Session
}

/** A signed-in client. */
export async function signIn(serverUrl: string, options: SignInOptions): Promise<SignedIn> {
  const made = createClient(serverUrl)
  const end = await walk(serverUrl, made.client, options)
  const { data, error } = await made.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
  if (error) throw error
  return { ...made, session: data.session }
}

/** Reads the consent page that `response` holds and posts its form with `decision`; returns where it leads. */
export async function decide(
  browser: Browser,
  serverUrl: string,
  response: Response,
  decision: Record<string, string>,
): Promise<string> {
  const html = await response.text()
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1]
  const request = /name="request" value="([^"]+)"/.exec(html)?.[1]
  if (!action || !request) throw new Error(`no consent form in ${response.status}: ${html.slice(0, 200)}`)
  const answer = await browser.visit(new URL(action, serverUrl).toString(), {
    method: 'POST',
    body: new URLSearchParams({ request, ...decision }),
  })
  return answer.headers.get('location') ?? ''
}
