import { randomUUID } from 'node:crypto'
import type { TestServer } from './harness.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body, for tests to inspect. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is unknown until the test has checked it
  body: any
}

export interface CallOptions {
  body?: unknown
  headers?: Record<string, string>
}

export interface TestSession {
  userId: string
  email: string
  token: string
  /** Calls the product API as this person. A string body is sent as is, anything else as JSON. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
}

/** One request to the server, anonymous without `authorization` in the headers. */
export async function call(
  server: { url: string },
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { body } = options
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...options.headers }
  const response = await fetch(server.url + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined }
}

/** A signed-in person whom the server has not seen before, with an access token as issued at sign-in. */
export async function startSession(
  server: Pick<TestServer, 'db' | 'deps' | 'url'>,
  person: {
    userId?: string
    email?: string
    userMetadata?: Record<string, unknown>
    /** When the session proved a second factor, in seconds since 1970; absent: never. */
    provedAt?: number
  } = {},
): Promise<TestSession> {
  const userId = person.userId ?? randomUUID()
  const email = person.email ?? `${userId.slice(0, 8)}@example.com`
  const sessionId = randomUUID()
  await server.db.pool.query(
    `with known as (insert into auth.users (id) values ($1) on conflict (id) do nothing)
     insert into auth.sessions (id, user_id, refresh_key) values ($2, $1, '')`,
    [userId, sessionId],
  )
  const { token } = await server.deps.accessTokens.sign({
    sub: userId,
    sessionId,
    email,
    phone: '',
    role: 'authenticated',
    aal: person.provedAt ? 'aal2' : 'aal1',
    amr: person.provedAt ? [{ method: 'totp', timestamp: person.provedAt }] : [],
    appMetadata: {},
    userMetadata: person.userMetadata ?? {},
    isAnonymous: false,
  })
  return {
    userId,
    email,
    token,
    call: (method, path, options = {}) =>
      call(server, method, path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } }),
  }
}

/** Adds `guest` to the workspace that `host` is in. Returns its id for `X-Workspace-Id`. */
export async function joinWorkspace(
  server: TestServer,
  host: TestSession,
  guest: TestSession,
  role: 'admin' | 'member',
): Promise<string> {
  const [hosts] = await Promise.all([host.call('GET', '/api/auth/profile'), guest.call('GET', '/api/auth/profile')])
  const id: string = hosts.body.data.workspace.id
  await server.db.pool.query(
    `insert into account_members (account_id, user_id, role) select id, $2, $3 from accounts where public_id = $1`,
    [id, guest.userId, role],
  )
  return id
}
