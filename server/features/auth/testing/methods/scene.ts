import { type AuthError, GoTrueAdminApi, type GoTrueClient } from '@supabase/auth-js'
import { TOTP } from 'otpauth'
import { expect } from 'vitest'
import { type AuthServer, startAuthServer } from '../auth-server.ts'
import { createBrowser } from '../browser.ts'
import { newEmail } from '../register.ts'
import { createClient, isOnTheWay, signIn } from '../sign-in.ts'

type Answer = Promise<{ data?: unknown; error: AuthError | null }>

/** One method of the client: what it gives, and how it is refused. */
export interface Method {
  /** Left out if nothing of it works here, or if its success is shown elsewhere. */
  works?: () => Answer
  /** Part of what it then answers. */
  gives?: unknown
  /** Its main refusal, and the code of the error. */
  fails: () => Answer
  as: string | undefined
}

export const password = 'correct horse'
export const nowhere = '00000000-0000-4000-8000-000000000000'
export const user = { user: { id: expect.any(String) } }
export const session = { session: { access_token: expect.any(String), refresh_token: expect.any(String) } }

export type MethodScene = ReturnType<typeof methodScene>

/** Two servers, one with all switched on and one with what can be switched off, and who calls them. */
export function methodScene() {
  let server: AuthServer
  let closed: AuthServer
  let admin: GoTrueAdminApi
  let impostor: GoTrueAdminApi
  const stranger = () => createClient(server.url).client
  const member = async () => (await signIn(server.url, { provider: 'google', email: newEmail() })).client
  /** Somebody with a confirmed address and a password. */
  const registered = async () => {
    const email = newEmail()
    const { data, error } = await admin.createUser({ email, password, email_confirm: true })
    if (error) throw error
    return { email, id: data.user.id }
  }
  const beginEnrollment = async (client: GoTrueClient) => {
    const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
    if (error) throw error
    const { rows } = await server.db.pool.query('select extract(epoch from app_now()) * 1000 as now')
    return {
      factorId: data.id,
      code: new TOTP({ secret: data.totp.secret }).generate({ timestamp: Number(rows[0].now) }),
    }
  }
  const linkAddress = async (client: GoTrueClient) => {
    const { data, error } = await client.linkIdentity({
      provider: 'github',
      options: {
        skipBrowserRedirect: true,
        redirectTo: `${server.url}/there`,
        queryParams: { login_hint: newEmail(), prompt: 'none' },
      },
    })
    if (error) throw error
    return data.url
  }
  const linked = async () => {
    const client = await member()
    const end = await createBrowser().follow(await linkAddress(client), isOnTheWay)
    await client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    return client
  }
  /** A person of the server where linking is off asks for it. */
  async function closedLink() {
    const email = newEmail()
    const url = `${closed.url}/auth/v1`
    const key = await closed.accessTokens.signServiceKey()
    const operator = new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${key}` } })
    await operator.createUser({ email, password, email_confirm: true })
    const { client } = createClient(closed.url)
    await client.signInWithPassword({ email, password })
    return client.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } })
  }

  return {
    stranger,
    member,
    registered,
    beginEnrollment,
    linked,
    closedLink,
    get server() {
      return server
    },
    get closed() {
      return closed
    },
    get admin() {
      return admin
    },
    /** An admin without a right key. */
    get impostor() {
      return impostor
    },
    async start() {
      server = await startAuthServer({ env: { AUTH_ANONYMOUS: 'on' } })
      closed = await startAuthServer({ env: { AUTH_LINKING: 'off', AUTH_SIGNUP: 'off' } })
      const url = `${server.url}/auth/v1`
      const key = await server.accessTokens.signServiceKey()
      admin = new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${key}` } })
      const { session } = await signIn(server.url, { provider: 'google', email: newEmail() })
      impostor = new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${session.access_token}` } })
    },
    async close() {
      await server?.close()
      await closed?.close()
    },
  }
}
