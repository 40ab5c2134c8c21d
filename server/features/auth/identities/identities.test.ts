import { describe, expect, it, vi } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { createBrowser } from '../testing/browser.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'
import { readCodeMail } from '../testing/mail.ts'
import { createClient, isOnTheWay, linkGithub, type SignedIn, signIn, walk } from '../testing/sign-in.ts'

let person = 0

const server = await closeAfterTests(startAuthServer())

const fresh = () => signIn(server.url, { provider: 'google', email: `link${person++}@example.com` })
const tokenOf = async ({ client }: SignedIn) => (await client.getSession()).data.session?.access_token

const startLink = ({ client }: SignedIn, email: string) => linkGithub(server.url, client, { email })

describe('linking', () => {
  it('adds the account with another address, once its code is redeemed', async () => {
    const me = await fresh()
    const end = await startLink(me, 'elsewhere@example.com')
    expect(end.pathname).toBe('/settings')
    expect((await me.client.getUserIdentities()).data?.identities).toHaveLength(1)
    const { data, error } = await me.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      id: me.session.user.id,
      email: me.session.user.email,
      app_metadata: { provider: 'google', providers: ['google', 'github'] },
    })
    expect(data.user?.identities?.map(({ provider }) => provider)).toEqual(['google', 'github'])
    const later = await signIn(server.url, { provider: 'github', email: 'elsewhere@example.com' })
    expect(later.session.user.id).toBe(me.session.user.id)
  })

  it('started by one person and completed by another links nothing: only the starter’s verifier redeems', async () => {
    const attacker = await fresh()
    const victim = await fresh()
    const end = await startLink(attacker, 'victims-github@example.com')
    const { error } = await victim.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    expect(error).not.toBeNull()
    const { rowCount } = await server.db.pool.query(
      `select from auth.identities where provider = 'github' and email = 'victims-github@example.com'`,
    )
    expect(rowCount).toBe(0)
  })

  it('completed in a browser that holds another flow’s cookie is refused', async () => {
    const me = await fresh()
    const { data } = await me.client.linkIdentity({
      provider: 'github',
      options: {
        redirectTo: `${server.url}/settings`,
        skipBrowserRedirect: true,
        queryParams: { login_hint: 'a@example.com', prompt: 'none' },
      },
    })
    const state = new URL(data?.url ?? '').searchParams.get('state')!
    const other = createBrowser()
    other.cookies.set(`finmeter-flow-${state.slice(0, 8)}`, 'not-mine')
    const end = await other.follow(data?.url ?? '', isOnTheWay)
    expect(end.searchParams.get('error_code')).toBe('bad_oauth_state')
  })

  it('of what somebody has is refused', async () => {
    const me = await fresh()
    const end = await startLink(me, 'mine@example.com')
    await me.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    const again = await startLink(me, 'mine@example.com')
    expect(Object.fromEntries(again.searchParams)).toMatchObject({
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked',
    })
    const other = await startLink(await fresh(), 'mine@example.com')
    expect(other.searchParams.get('error_description')).toBe('Identity is already linked to another user')
  })

  it('needs a session, a challenge and the operator’s leave', async () => {
    expect((await call(server, 'GET', '/user/identities/authorize?provider=github')).status).toBe(401)
    const token = await tokenOf(await fresh())
    expect(refusal(await call(server, 'GET', '/user/identities/authorize?provider=github', { token }))).toBe(
      '400 validation_failed: PKCE flow requires code_challenge_method and code_challenge',
    )
    const strict = await startAuthServer({ env: { AUTH_LINKING: 'off' } })
    const { client, session } = await signIn(strict.url, { provider: 'google', email: 'strict@example.com' })
    const { error } = await client.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } })
    expect(error).toMatchObject({ status: 404, code: 'manual_linking_disabled', message: 'Manual linking is disabled' })
    const identity = session.user.identities![0]!.identity_id
    expect(
      (await call(strict, 'DELETE', `/user/identities/${identity}`, { token: session.access_token })).body.code,
    ).toBe('manual_linking_disabled')
    await strict.close()
  })
})

describe('unlinking', () => {
  it('takes an account away, but never the last', async () => {
    const me = await fresh()
    const end = await startLink(me, `second${person}@example.com`)
    await me.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    const [first, second] = (await me.client.getUserIdentities()).data!.identities
    expect((await me.client.unlinkIdentity(second!)).error).toBeNull()
    const last = await me.client.unlinkIdentity(first!)
    expect(last.error).toMatchObject({
      status: 422,
      code: 'single_identity_not_deletable',
      message: 'User must have at least 1 identity after unlinking',
    })
  })

  it('moves the person to the other verified address and tells the old one', async () => {
    const me = await fresh()
    const [old, next] = [me.session.user.email!, `moved${person}@example.com`]
    const end = await startLink(me, next)
    await me.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    const google = (await me.client.getUserIdentities()).data!.identities.find(({ provider }) => provider === 'google')!
    expect((await me.client.unlinkIdentity(google)).error).toBeNull()
    expect((await me.client.getUser()).data.user).toMatchObject({
      email: next,
      app_metadata: { provider: 'github', providers: ['github'] },
    })
    await vi.waitUntil(
      () => server.mailbox?.list(old).some(({ subject }) => subject === 'The email address of your account changed'),
      { timeout: 120_000 },
    )
  })

  it('never moves the person to an address that nobody has verified: it may be somebody else’s', async () => {
    const me = await fresh()
    const end = await startLink(me, 'bo@example.com')
    await me.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    const google = (await me.client.getUserIdentities()).data!.identities.find(({ provider }) => provider === 'google')!
    expect((await me.client.unlinkIdentity(google)).error).toBeNull()
    expect((await me.client.getUser()).data.user?.email).toBe(me.session.user.email)
  })

  it.each([
    ['not-a-uuid', '404 validation_failed'],
    ['00000000-0000-4000-8000-000000000000', '422 single_identity_not_deletable'],
  ])('of %s answers %s', async (id, says) => {
    const token = await tokenOf(await fresh())
    expect(refusalCode(await call(server, 'DELETE', `/user/identities/${id}`, { token }))).toBe(says)
  })

  it('of another person’s identity finds nothing', async () => {
    const [me, other] = [await fresh(), await fresh()]
    const end = await startLink(me, `two${person}@example.com`)
    await me.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    const theirs = other.session.user.identities![0]!.identity_id
    expect(refusal(await call(server, 'DELETE', `/user/identities/${theirs}`, { token: await tokenOf(me) }))).toBe(
      "422 identity_not_found: Identity doesn't exist",
    )
  })
})

describe('an address that the provider does not vouch for', () => {
  it('is proved by mail before anybody signs in, and then works', async () => {
    const start = async () => {
      const { client } = createClient(server.url)
      const redirectTo = `${server.url}/cb`
      const end = await walk(server.url, client, { provider: 'google', email: 'bo@example.com', redirectTo })
      return { client, end }
    }
    expect(Object.fromEntries((await start()).end.searchParams)).toEqual({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
      error_description: 'Unverified email with google. A confirmation email has been sent to your google email',
    })
    const { code } = await readCodeMail(server, 'bo@example.com')
    expect(
      (await call(server, 'POST', '/verify', { body: { type: 'signup', email: 'bo@example.com', token: code } }))
        .status,
    ).toBe(200)
    const { client, end } = await start()
    const { data } = await client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    expect(data.user?.email).toBe('bo@example.com')
  })
})
