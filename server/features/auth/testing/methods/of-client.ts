import type { AuthError } from '@supabase/auth-js'
import { expect } from 'vitest'
import { readCodeMail } from '../mail.ts'
import { newEmail } from '../register.ts'
import { createClient, walk } from '../sign-in.ts'
import { type Method, type MethodScene, nowhere, password, session, user } from './scene.ts'

/** Signing in, sessions and what a person changes of themselves. */
export function methodsOfClient(scene: MethodScene): Record<string, Method> {
  const { stranger, member, registered, linked, closedLink } = scene
  return {
    signUp: {
      works: () => stranger().signUp({ email: newEmail(), password }),
      gives: { ...user, session: null },
      fails: () => stranger().signUp({ email: newEmail(), password: 'short' }),
      as: 'weak_password',
    },
    signInAnonymously: {
      works: () => stranger().signInAnonymously(),
      gives: { user: { is_anonymous: true } },
      fails: () => createClient(scene.closed.url).client.signInAnonymously(),
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
        const end = await walk(scene.server.url, client, { provider: 'google', email: newEmail() })
        return client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
      },
      gives: { ...user, ...session },
      fails: async () => {
        const client = stranger()
        await walk(scene.server.url, client, { provider: 'google', email: newEmail() })
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
        return client.verifyOtp({ type: 'email', email, token: (await readCodeMail(scene.server, email)).code })
      },
      gives: { ...user, ...session },
      fails: () => stranger().verifyOtp({ type: 'email', email: newEmail(), token: '123456' }),
      as: 'otp_expired',
    },
    resend: {
      works: async () => {
        const email = newEmail()
        await stranger().signUp({ email, password })
        await scene.server.moveClock('61 seconds')
        const answer = await stranger().resend({ type: 'signup', email })
        await readCodeMail(scene.server, email, 2)
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
        expect((await readCodeMail(scene.server, email)).subject).toBe('Recover your account')
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
        expect((await readCodeMail(scene.server, email)).code).toMatch(/^\d{6}$/)
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
        const claims = await scene.server.accessTokens.verify(data.session!.access_token)
        const { token } = await scene.server.accessTokens.sign(claims, Math.floor(Date.now() / 1000) - 7200)
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
        await scene.admin.signOut(data.session!.access_token, 'local')
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
      fails: () =>
        stranger().signInWithWeb3({ chain: 'solana', message: 'x'.repeat(80), signature: new Uint8Array(64) }),
      as: 'web3_provider_disabled',
    },
  }
}
