import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { vi } from 'vitest'
import { signIn } from '../features/auth/testing/sign-in.ts'
import { buyPlan, plansByName } from '../features/billing/testing/billing.ts'
import { buildExports } from '../features/export/build-exports.ts'
import { signExportLink } from '../features/export/export-link.ts'
import type { TestServer } from './harness.ts'
import { call, joinWorkspace, startSession, type TestSession } from './session.ts'

const REDIRECT = 'https://client.example/callback'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** A signed-in person with everything that could outlive their access, all of it working. */
export interface World {
  workspaceId: string
  person: TestSession
  /** The owner of the workspace; `person` in their own one. */
  owner: TestSession
  /** Calls the product API as the person, in the workspace. */
  act: (method: string, path: string, body?: unknown) => ReturnType<TestSession['call']>
  apiKey: string
  oauth: { client: string; access: string; refresh: string; code: string }
  sessionRefresh: string
  stream: EventStream
  ticket: string
  invitation: { guest: TestSession; token: string }
  csvLink: string
  invoiceLink: string
  exportLink: string
  /** Requested, and not built yet. */
  runningExport: string
}

export type Membership = Pick<World, 'act' | 'owner' | 'person' | 'sessionRefresh' | 'workspaceId'>

/** Signs somebody in. `own`: to their own workspace. Else they are an admin of somebody else's. */
export async function makeMembership(server: TestServer, own: boolean): Promise<Membership> {
  const { person, refreshToken: sessionRefresh } = await signedIn(server)
  const owner = own ? person : await startSession(server)
  const workspaceId: string = own
    ? (await person.call('GET', '/api/auth/profile')).body.data.workspace.id
    : await joinWorkspace(server, owner, person, 'admin')
  const act: World['act'] = (method, path, body) =>
    person.call(method, path, { body, headers: { 'x-workspace-id': workspaceId } })
  return { act, owner, person, sessionRefresh, workspaceId }
}

export async function makeWorld(server: TestServer, own: boolean): Promise<World> {
  const membership = await makeMembership(server, own)
  const { act, owner, person } = membership
  await buyPlan(server, owner, (await plansByName(owner)).Pro)
  const created = await act('POST', '/api/keys', { name: 'Seen' })
  const client = await registerClient(server)
  const tokens = await redeemCode(server, client, await approve(server, act, client))
  const exportLink = await requestExport(server, person)
  await buildExports(server.deps)
  return {
    ...membership,
    apiKey: created.body.data.apiKey.unkey,
    oauth: {
      client,
      access: tokens.body.access_token,
      refresh: tokens.body.refresh_token,
      code: await approve(server, act, client),
    },
    stream: await openStream(server, await ticketOf(act)),
    ticket: await ticketOf(act),
    invitation: await invite(server, act),
    csvLink: (await act('GET', '/api/usage/receipts/csv')).body.data.url,
    invoiceLink: (await act('GET', '/billing/invoices')).body.data[0].invoice_pdf,
    exportLink,
    runningExport: await requestExport(server, person),
  }
}

async function signedIn(server: TestServer): Promise<{ person: TestSession; refreshToken: string }> {
  const email = `${randomUUID().slice(0, 8)}@example.com`
  const { session } = await signIn(server.url, { provider: 'google', email })
  const token = session.access_token
  const person: TestSession = {
    userId: session.user.id,
    email,
    token,
    call: (method, path, options = {}) =>
      call(server, method, path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } }),
  }
  await person.call('GET', '/api/auth/profile')
  return { person, refreshToken: session.refresh_token }
}

const ticketOf = async (act: World['act']): Promise<string> =>
  (await act('POST', '/api/playground/stream/ticket')).body.data.ticket

export interface EventStream {
  status: number
  /** The next event, or null when the stream has ended. */
  next: () => Promise<object | null>
  cancel: () => Promise<void>
}

export async function openStream(server: TestServer, ticket: string): Promise<EventStream> {
  const answer = await fetch(`${server.url}/api/playground/stream?token=${encodeURIComponent(ticket)}`)
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    status: answer.status,
    async next() {
      for (;;) {
        const match = /data: (.*)\n\n/.exec(text)
        if (match) {
          text = text.slice(match.index + match[0].length)
          return JSON.parse(match[1]!)
        }
        const { done, value } = await reader.read()
        if (done) return null
        text += value
      }
    },
    cancel: () => reader.cancel().catch(() => {}),
  }
}

async function invite(server: TestServer, act: World['act']): Promise<World['invitation']> {
  const guest = await startSession(server)
  const sent = await act('POST', '/api/team/invitations', { email: guest.email })
  if (sent.status !== 201) throw new Error(sent.text)
  const mailbox = server.mailbox!
  await vi.waitUntil(() => mailbox.list(guest.email).length > 0, { timeout: 120_000 })
  return { guest, token: /\/invitation#(\S+)/.exec(mailbox.list(guest.email)[0]!.text)![1]! }
}

/** Requests an export without starting to build it, and returns its link. */
async function requestExport(server: TestServer, { userId }: TestSession): Promise<string> {
  const { rows } = await server.db.pool.query('insert into data_exports (user_id) values ($1) returning public_id', [
    userId,
  ])
  return signExportLink(server.deps, userId, rows[0].public_id, Date.now())
}

async function registerClient(server: TestServer): Promise<string> {
  const body = { client_name: 'Desk', redirect_uris: [REDIRECT] }
  return (await call(server, 'POST', '/oauth/register', { body })).body.client_id
}

/** An admin of somebody else's workspace who has connected an app to it. */
export async function makeConnection(server: TestServer): Promise<{ access: string; membership: Membership }> {
  const membership = await makeMembership(server, false)
  const client = await registerClient(server)
  const { body } = await redeemCode(server, client, await approve(server, membership.act, client))
  return { access: body.access_token, membership }
}

/** Asks for consent and approves it. Returns the answer of the approval. */
export async function askApproval(server: TestServer, act: World['act'], client: string) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'S',
    resource: `${server.url}/mcp`,
  })
  const { headers } = await call(server, 'GET', `/oauth/authorize?${query}`)
  const id = new URL(headers.get('location')!).searchParams.get('request')
  return act('POST', `/api/oauth/requests/${id}/approve`, {})
}

async function approve(server: TestServer, act: World['act'], client: string): Promise<string> {
  const { body, text } = await askApproval(server, act, client)
  if (!body.success) throw new Error(text)
  return new URL(body.data.redirectTo).searchParams.get('code')!
}

const token = (server: TestServer, form: Record<string, string>) =>
  call(server, 'POST', '/oauth/token', {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

export const redeemCode = (server: TestServer, client: string, code: string) =>
  token(server, {
    grant_type: 'authorization_code',
    client_id: client,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  })

export const refreshTokens = (server: TestServer, client: string, refresh_token: string) =>
  token(server, { grant_type: 'refresh_token', client_id: client, refresh_token })
