import { type AuthError, GoTrueAdminApi, GoTrueClient } from '@supabase/auth-js'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { createBrowser } from './testing/browser.ts'
import { readCodeMail } from './testing/mail.ts'
import { newEmail } from './testing/register.ts'
import { createClient, signIn, walk } from './testing/sign-in.ts'

let server: AuthServer
/** A server where the operator has switched off what can be. */
let closed: AuthServer
let admin: GoTrueAdminApi
/** An admin without a right key. */
let impostor: GoTrueAdminApi

beforeAll(async () => {
  server = await startAuthServer({ env: { AUTH_ANONYMOUS: 'on' } })
  closed = await startAuthServer({ env: { AUTH_LINKING: 'off', AUTH_SIGNUP: 'off' } })
  const url = `${server.url}/auth/v1`
  admin = new GoTrueAdminApi({
    url,
    headers: { Authorization: `Bearer ${await server.accessTokens.signServiceKey()}` },
  })
  const { session } = await signIn(server.url, { provider: 'google', email: newEmail() })
  impostor = new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${session.access_token}` } })
})
afterAll(async () => {
  await server?.close()
  await closed?.close()
})

const password = 'correct horse'
const stranger = () => createClient(server.url).client
const member = async () => (await signIn(server.url, { provider: 'google', email: newEmail() })).client
/** Somebody with a confirmed address and a password. */
const registered = async () => {
  const email = newEmail()
  const { data, error } = await admin.createUser({ email, password, email_confirm: true })
  if (error) throw error
  return { email, id: data.user.id }
}
const begun = async (client: GoTrueClient) => {
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
  const end = await createBrowser().follow(await linkAddress(client), ({ pathname }) =>
    /^\/(auth\/v1|sandbox)\//.test(pathname),
  )
  await client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
  return client
}

type Answer = Promise<{ data?: unknown; error: AuthError | null }>
interface Method {
  /** Absent: nothing of it works here, or its success is shown elsewhere. */
  works?: () => Answer
  /** Part of what it then answers. */
  gives?: unknown
  /** Its main refusal, and the code of the error. */
  fails: () => Answer
  as: string | undefined
}
const nowhere = '00000000-0000-4000-8000-000000000000'
const user = { user: { id: expect.any(String) } }
const session = { session: { access_token: expect.any(String), refresh_token: expect.any(String) } }

const methods: Record<string, Method> = {
  signUp: {
    works: () => stranger().signUp({ email: newEmail(), password }),
    gives: { ...user, session: null },
    fails: () => stranger().signUp({ email: newEmail(), password: 'short' }),
    as: 'weak_password',
  },
  signInAnonymously: {
    works: () => stranger().signInAnonymously(),
    gives: { user: { is_anonymous: true } },
    fails: () => createClient(closed.url).client.signInAnonymously(),
    as: 'anonymous_provider_disabled',
  },
  signInWithPassword: {
    works: async () => stranger().signInWithPassword({ email: (await registered()).email, password }),
    gives: { ...user, ...session },
    fails: async () => stranger().signInWithPassword({ email: (await registered()).email, password: 'a guess' }),
    as: 'invalid_credentials',
  },
  signInWithOAuth: {
    works: () => stranger().signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } }),
    gives: { provider: 'github', url: expect.stringContaining('/auth/v1/authorize?provider=github') },
    // The client only makes an address; what is wrong with it is said there.
    fails: async () => {
      const { data } = await stranger().signInWithOAuth({ provider: 'apple', options: { skipBrowserRedirect: true } })
      const answer = await fetch(data.url!, { headers: { 'x-supabase-api-version': '2024-01-01' } })
      return { error: (await answer.json()) as AuthError }
    },
    as: 'validation_failed',
  },
  exchangeCodeForSession: {
    works: async () => {
      const client = stranger()
      const end = await walk(server.url, client, { provider: 'google', email: newEmail() })
      return client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    },
    gives: { ...user, ...session },
    fails: async () => {
      const client = stranger()
      await walk(server.url, client, { provider: 'google', email: newEmail() })
      return client.exchangeCodeForSession(nowhere)
    },
    as: 'flow_state_not_found',
  },
  signInWithOtp: {
    works: () => stranger().signInWithOtp({ email: newEmail() }),
    gives: { user: null, session: null },
    fails: () => stranger().signInWithOtp({ email: newEmail(), options: { shouldCreateUser: false } }),
    as: 'otp_disabled',
  },
  verifyOtp: {
    works: async () => {
      const [client, email] = [stranger(), newEmail()]
      await client.signInWithOtp({ email })
      return client.verifyOtp({ type: 'email', email, token: (await readCodeMail(server, email)).code })
    },
    gives: { ...user, ...session },
    fails: () => stranger().verifyOtp({ type: 'email', email: newEmail(), token: '123456' }),
    as: 'otp_expired',
  },
  resend: {
    works: async () => {
      const email = newEmail()
      await stranger().signUp({ email, password })
      await server.moveClock('61 seconds')
      const answer = await stranger().resend({ type: 'signup', email })
      await readCodeMail(server, email, 2)
      return answer
    },
    fails: async () => {
      const email = newEmail()
      await stranger().resend({ type: 'signup', email })
      return stranger().resend({ type: 'signup', email })
    },
    as: 'over_email_send_rate_limit',
  },
  resetPasswordForEmail: {
    works: async () => {
      const { email } = await registered()
      const answer = await stranger().resetPasswordForEmail(email)
      expect((await readCodeMail(server, email)).subject).toBe('Recover your account')
      return answer
    },
    fails: () => stranger().resetPasswordForEmail('no address'),
    as: 'validation_failed',
  },
  reauthenticate: {
    works: async () => {
      const [client, { email }] = [stranger(), await registered()]
      await client.signInWithPassword({ email, password })
      const answer = await client.reauthenticate()
      expect((await readCodeMail(server, email)).code).toMatch(/^\d{6}$/)
      return answer
    },
    fails: async () => {
      const client = stranger()
      await client.signInAnonymously()
      return client.reauthenticate()
    },
    as: 'validation_failed',
  },
  getSession: {
    works: async () => (await member()).getSession(),
    gives: session,
    // Without a session it is not an error but nothing.
    fails: async () => {
      const { data, error } = await stranger().getSession()
      expect(data.session).toBeNull()
      return { error: error ?? ({ code: 'none' } as AuthError) }
    },
    as: 'none',
  },
  setSession: {
    works: async () => {
      const { data } = await (await member()).getSession()
      return stranger().setSession(data.session!)
    },
    gives: { ...user, ...session },
    fails: async () => {
      const { data } = await (await member()).getSession()
      const claims = await server.accessTokens.verify(data.session!.access_token)
      const { token } = await server.accessTokens.sign(claims, Math.floor(Date.now() / 1000) - 7200)
      return stranger().setSession({ access_token: token, refresh_token: 'abcdefghijkl' })
    },
    as: 'refresh_token_not_found',
  },
  refreshSession: {
    works: async () => (await member()).refreshSession(),
    gives: { ...user, ...session },
    fails: () => stranger().refreshSession({ refresh_token: 'abcdefghijkl' }),
    as: 'refresh_token_not_found',
  },
  getUser: {
    works: async () => (await member()).getUser(),
    gives: user,
    fails: () => stranger().getUser('x.y.z'),
    as: 'bad_jwt',
  },
  getClaims: {
    works: async () => (await member()).getClaims(),
    gives: { claims: { aal: 'aal1', amr: [{ method: 'oauth' }], session_id: expect.any(String) } },
    fails: async () => {
      const client = await member()
      const token = (await client.getSession()).data.session!.access_token
      const [head, body, signature] = token.split('.') as [string, string, string]
      const turned = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`
      return client.getClaims(`${head}.${body}.${turned}`)
    },
    as: 'invalid_jwt',
  },
  updateUser: {
    works: async () => (await member()).updateUser({ data: { team: 'blue' } }),
    gives: { user: { user_metadata: { team: 'blue' } } },
    fails: async () => (await member()).updateUser({ email: (await registered()).email }),
    as: 'email_exists',
  },
  signOut: {
    works: async () => (await member()).signOut(),
    // A session that has ended already is no error; the client forgets it all the same.
    fails: async () => {
      const client = await member()
      const { data } = await client.getSession()
      await admin.signOut(data.session!.access_token, 'local')
      const { error } = await client.signOut()
      expect((await client.getSession()).data.session).toBeNull()
      return { error: error ?? ({ code: 'none' } as AuthError) }
    },
    as: 'none',
  },
  getUserIdentities: {
    works: async () => (await member()).getUserIdentities(),
    gives: { identities: [{ provider: 'google', identity_id: expect.any(String) }] },
    fails: () => stranger().getUserIdentities(),
    as: undefined,
  },
  linkIdentity: {
    works: async () => ({ data: { identities: (await (await linked()).getUserIdentities()).data }, error: null }),
    gives: { identities: { identities: [{ provider: 'google' }, { provider: 'github' }] } },
    fails: () => closedLink(),
    as: 'manual_linking_disabled',
  },
  unlinkIdentity: {
    works: async () => {
      const client = await linked()
      const { data } = await client.getUserIdentities()
      return client.unlinkIdentity(data!.identities[1]!)
    },
    fails: async () => {
      const client = await member()
      const { data } = await client.getUserIdentities()
      return client.unlinkIdentity(data!.identities[0]!)
    },
    as: 'single_identity_not_deletable',
  },
  signInWithIdToken: {
    // Its success needs a provider of the test's own: id-token.test.ts.
    fails: () => stranger().signInWithIdToken({ provider: 'google', token: 'x.y.z' }),
    as: undefined,
  },
  signInWithSSO: {
    fails: () => stranger().signInWithSSO({ domain: 'example.com' }),
    as: 'saml_provider_disabled',
  },
  signInWithWeb3: {
    fails: () => stranger().signInWithWeb3({ chain: 'solana', message: 'x'.repeat(80), signature: new Uint8Array(64) }),
    as: 'web3_provider_disabled',
  },
  'mfa.enroll': {
    works: async () => (await member()).mfa.enroll({ factorType: 'totp' }),
    gives: { type: 'totp', totp: { secret: expect.any(String), uri: expect.any(String), qr_code: expect.any(String) } },
    fails: async () => (await member()).mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' }),
    as: 'mfa_webauthn_enroll_not_enabled',
  },
  'mfa.challenge': {
    works: async () => {
      const client = await member()
      return client.mfa.challenge({ factorId: (await begun(client)).factorId })
    },
    gives: { id: expect.any(String), type: 'totp', expires_at: expect.any(Number) },
    fails: async () => (await member()).mfa.challenge({ factorId: nowhere }),
    as: 'mfa_factor_not_found',
  },
  'mfa.verify': {
    works: async () => {
      const client = await member()
      const { factorId, code } = await begun(client)
      const { data } = await client.mfa.challenge({ factorId })
      return client.mfa.verify({ factorId, challengeId: data!.id, code })
    },
    gives: { access_token: expect.any(String), ...user },
    fails: async () => {
      const client = await member()
      const { factorId } = await begun(client)
      const { data } = await client.mfa.challenge({ factorId })
      return client.mfa.verify({ factorId, challengeId: data!.id, code: 'abcdef' })
    },
    as: 'mfa_verification_failed',
  },
  'mfa.challengeAndVerify': {
    works: async () => {
      const client = await member()
      return client.mfa.challengeAndVerify(await begun(client))
    },
    gives: { access_token: expect.any(String), ...user },
    fails: async () => (await member()).mfa.challengeAndVerify({ factorId: nowhere, code: '123456' }),
    as: 'mfa_factor_not_found',
  },
  'mfa.unenroll': {
    works: async () => {
      const client = await member()
      return client.mfa.unenroll(await begun(client))
    },
    gives: { id: expect.any(String) },
    fails: async () => (await member()).mfa.unenroll({ factorId: nowhere }),
    as: 'mfa_factor_not_found',
  },
  'mfa.listFactors': {
    works: async () => {
      const client = await member()
      await client.mfa.challengeAndVerify(await begun(client))
      return client.mfa.listFactors()
    },
    gives: { totp: [{ friendly_name: 'phone', status: 'verified' }] },
    fails: () => stranger().mfa.listFactors(),
    as: undefined,
  },
  'mfa.getAuthenticatorAssuranceLevel': {
    works: async () => {
      const client = await member()
      await client.mfa.challengeAndVerify(await begun(client))
      return client.mfa.getAuthenticatorAssuranceLevel()
    },
    gives: { currentLevel: 'aal2', nextLevel: 'aal2' },
    fails: () => stranger().mfa.getAuthenticatorAssuranceLevel('x'),
    as: 'invalid_jwt',
  },
  'admin.createUser': {
    works: () => admin.createUser({ email: newEmail() }),
    gives: user,
    fails: async () => admin.createUser({ email: (await registered()).email }),
    as: 'email_exists',
  },
  'admin.listUsers': {
    works: () => admin.listUsers({ page: 1, perPage: 1 }),
    gives: { users: [{ id: expect.any(String) }], aud: 'authenticated' },
    fails: () => impostor.listUsers(),
    as: 'not_admin',
  },
  'admin.getUserById': {
    works: async () => admin.getUserById((await registered()).id),
    gives: user,
    fails: () => admin.getUserById(nowhere),
    as: 'user_not_found',
  },
  'admin.updateUserById': {
    works: async () => admin.updateUserById((await registered()).id, { app_metadata: { plan: 'x' } }),
    gives: { user: { app_metadata: { plan: 'x' } } },
    fails: () => admin.updateUserById(nowhere, {}),
    as: 'user_not_found',
  },
  'admin.deleteUser': {
    works: async () => admin.deleteUser((await registered()).id),
    fails: () => admin.deleteUser(nowhere),
    as: 'user_not_found',
  },
  'admin.inviteUserByEmail': {
    works: () => admin.inviteUserByEmail(newEmail()),
    gives: { user: { invited_at: expect.any(String) } },
    fails: async () => admin.inviteUserByEmail((await registered()).email),
    as: 'email_exists',
  },
  'admin.generateLink': {
    works: async () => admin.generateLink({ type: 'recovery', email: (await registered()).email }),
    gives: { properties: { action_link: expect.stringContaining('/auth/v1/verify?'), verification_type: 'recovery' } },
    fails: () => admin.generateLink({ type: 'recovery', email: newEmail() }),
    as: 'user_not_found',
  },
  'admin.signOut': {
    works: async () => {
      const { data } = await (await member()).getSession()
      return admin.signOut(data.session!.access_token, 'local')
    },
    fails: () => admin.signOut('x.y.z'),
    as: 'bad_jwt',
  },
  'admin.mfa.listFactors': {
    works: async () => {
      const client = await member()
      await begun(client)
      return admin.mfa.listFactors({ userId: (await client.getSession()).data.session!.user.id })
    },
    gives: { factors: [{ status: 'unverified', factor_type: 'totp' }] },
    fails: () => admin.mfa.listFactors({ userId: nowhere }),
    as: 'user_not_found',
  },
  'admin.mfa.deleteFactor': {
    works: async () => {
      const client = await member()
      const { factorId } = await begun(client)
      return admin.mfa.deleteFactor({ id: factorId, userId: (await client.getSession()).data.session!.user.id })
    },
    gives: { data: { id: expect.any(String) } },
    fails: async () => admin.mfa.deleteFactor({ id: nowhere, userId: (await registered()).id }),
    as: 'mfa_factor_not_found',
  },
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

/** What has no call of its own, or calls what the reference leaves out. */
const NOT_OF_THE_PROTOCOL = [
  ...['constructor', 'initialize', 'onAuthStateChange', 'startAutoRefresh', 'stopAutoRefresh', 'dispose'],
  ...['isThrowOnErrorEnabled', 'jwks', 'jwks_cached_at', 'fetchJwk', 'linkIdentityOAuth', 'linkIdentityIdToken'],
  ...['signInWithEthereum', 'signInWithSolana', 'signInWithPasskey', 'registerPasskey'],
]

describe('the unmodified client', () => {
  it.each(Object.entries(methods))('%s works, and is refused in the protocol’s words', async (_name, method) => {
    const { works, gives, fails, as } = method
    if (works) {
      const good = await works()
      expect(good.error).toBeNull()
      if (gives) expect(good.data).toMatchObject(gives)
    }
    const bad = await fails()
    expect(bad.error).not.toBeNull()
    expect(bad.error?.code).toBe(as)
  })

  it('has no method that is left out above', () => {
    const own = Object.getOwnPropertyNames(GoTrueClient.prototype).filter((name) => !name.startsWith('_'))
    const ofAdmin = Object.getOwnPropertyNames(GoTrueAdminApi.prototype)
      .filter((name) => !name.startsWith('_') && name !== 'constructor')
      .map((name) => `admin.${name}`)
    const ofFactors = Object.keys(stranger().mfa)
      .filter((name) => !['webauthn', 'recoveryCodes'].includes(name))
      .map((name) => `mfa.${name}`)
    const ofAdminFactors = Object.keys(admin.mfa).map((name) => `admin.mfa.${name}`)
    const all = [
      ...own.filter((name) => !NOT_OF_THE_PROTOCOL.includes(name)),
      ...ofAdmin,
      ...ofFactors,
      ...ofAdminFactors,
    ]
    expect(Object.keys(methods).sort()).toEqual(all.sort())
  })
})
