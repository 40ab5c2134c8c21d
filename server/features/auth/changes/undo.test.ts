import { describe, expect, it, vi } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call } from '../testing/call.ts'
import { enroll, tokenOf } from '../testing/factors.ts'
import { createClient, linkGithub, type SignedIn, signIn, walk } from '../testing/sign-in.ts'

let person = 0

const server = await closeAfterTests(startAuthServer())

const fresh = () => signIn(server.url, { provider: 'google', email: `undo${person++}@example.com` })
const providersOf = async ({ client }: SignedIn) =>
  (await client.getUserIdentities()).data?.identities.map(({ provider }) => provider)

async function link({ client }: SignedIn, email: string): Promise<void> {
  const end = await linkGithub(server.url, client, { email })
  const redeemed = await client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
  if (redeemed.error) throw redeemed.error
}

/** The newest mail to `to` with this subject; its link, or null. */
async function mailOf(to: string, subject: string): Promise<string | null> {
  const mail = await vi.waitUntil(() => server.mailbox?.list(to).find((one) => one.subject === subject), {
    timeout: 120_000,
    interval: 20,
  })
  const url = /https?:\/\/\S+\/auth\/v1\/undo\S+/.exec(mail.text)?.[0]
  return url ? new URL(url).searchParams.get('token') : null
}

const open = (token: string) => call(server, 'GET', `/undo?token=${token}`)
const undo = (token: string) =>
  call(server, 'POST', '/undo', {
    body: new URLSearchParams({ token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

describe('a connected account', () => {
  it('is mailed at once, and the mail disconnects it, signs everybody out, and works once', async () => {
    const me = await fresh()
    const email = me.session.user.email!
    await link(me, `attacker${person}@example.com`)
    const token = (await mailOf(email, 'An account was connected'))!
    const page = await open(token)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Disconnect the account?')
    expect(await providersOf(me)).toEqual(['google', 'github'])
    expect((await undo(token)).text).toContain('Undone')
    expect((await call(server, 'GET', '/user', { token: await tokenOf(me) })).status).toBe(403)
    const again = await signIn(server.url, { provider: 'google', email })
    expect(again.session.user.id).toBe(me.session.user.id)
    expect(await providersOf(again)).toEqual(['google'])
    const stranger = await signIn(server.url, { provider: 'github', email: `attacker${person}@example.com` })
    expect(stranger.session.user.id).not.toBe(me.session.user.id)
    expect((await undo(token)).status).toBe(410)
  })

  it('can be disconnected by mail for 72 hours', async () => {
    const me = await fresh()
    await link(me, `late${person}@example.com`)
    const token = (await mailOf(me.session.user.email!, 'An account was connected'))!
    await server.moveClock('71 hours')
    expect((await open(token)).status).toBe(200)
    await server.moveClock('1 hour')
    expect((await open(token)).status).toBe(410)
    expect((await undo(token)).status).toBe(410)
  })
})

describe('a disconnected account', () => {
  it('is mailed to the old address, and the mail takes account and address back from the attacker', async () => {
    const me = await fresh()
    const email = me.session.user.email!
    const taken = `taken${person}@example.com`
    await link(me, taken)
    const linked = (await mailOf(email, 'An account was connected'))!
    const google = (await me.client.getUserIdentities()).data!.identities.find(({ provider }) => provider === 'google')!
    expect((await me.client.unlinkIdentity(google)).error).toBeNull()
    const unlinked = (await mailOf(email, 'An account was disconnected'))!
    const early = await undo(linked)
    expect(early.status).toBe(409)
    expect(early.text).toContain('No other account can sign in now.')
    expect((await undo(unlinked)).status).toBe(200)
    expect((await undo(linked)).status).toBe(200)
    const back = await signIn(server.url, { provider: 'google', email })
    expect(back.session.user).toMatchObject({ id: me.session.user.id, email })
    expect(await providersOf(back)).toEqual(['google'])
  })
})

describe('a link in the mailbox of an address that the user has left', () => {
  it('connects the account again, and does not give the account to that mailbox', async () => {
    const me = await fresh()
    const email = me.session.user.email!
    await link(me, `left${person}@example.com`)
    const github = (await me.client.getUserIdentities()).data!.identities.find(({ provider }) => provider === 'github')!
    expect((await me.client.unlinkIdentity(github)).error).toBeNull()
    const unlinked = (await mailOf(email, 'An account was disconnected'))!
    const next = `next${person}@example.com`
    await me.client.updateUser({ email: next })
    for (const address of [email, next]) {
      const { code } = await vi.waitUntil(
        async () => {
          const mail = server.mailbox?.list(address).find(({ text }) => text.includes('type=email_change'))
          return mail && { code: /^\d{6}$/m.exec(mail.text)![0] }
        },
        { timeout: 120_000, interval: 20 },
      )
      const body = { type: 'email_change', email: address, token: code }
      expect((await call(server, 'POST', '/verify', { body })).status).toBe(200)
    }
    expect((await undo(unlinked)).status).toBe(200)
    const { rows } = await server.db.pool.query('select email from auth.users where id = $1', [me.session.user.id])
    expect(rows).toEqual([{ email: next }])
  })
})

describe('a code that was not redeemed yet', () => {
  it('ends with the sessions: the connected account cannot come back', async () => {
    const me = await fresh()
    const attacker = `pending${person}@example.com`
    await link(me, attacker)
    const token = (await mailOf(me.session.user.email!, 'An account was connected'))!
    const thief = createClient(server.url)
    const end = await walk(server.url, thief.client, { provider: 'github', email: attacker })
    expect((await undo(token)).text).toContain('Undone')
    const late = await thief.client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    expect(late.error).toMatchObject({ code: 'flow_state_not_found' })
  })
})

describe('a password', () => {
  it('that was set is mailed at once, without a link', async () => {
    const me = await fresh()
    expect((await me.client.updateUser({ password: 'correct horse battery' })).error).toBeNull()
    expect(await mailOf(me.session.user.email!, 'Your password was changed')).toBeNull()
  })
})

describe('a second factor', () => {
  it('that was added is mailed without a link', async () => {
    const me = await fresh()
    await enroll(server, me)
    expect(await mailOf(me.session.user.email!, 'A second factor was added')).toBeNull()
  })

  it('that was removed is restored by its mail', async () => {
    const me = await fresh()
    const email = me.session.user.email!
    const { id } = await enroll(server, me, 'my phone')
    expect((await me.client.mfa.unenroll({ factorId: id })).error).toBeNull()
    const token = (await mailOf(email, 'A second factor was removed'))!
    expect((await undo(token)).status).toBe(200)
    const again = await signIn(server.url, { provider: 'google', email })
    expect((await again.client.mfa.listFactors()).data?.totp).toMatchObject([{ id, friendly_name: 'my phone' }])
    expect((await call(server, 'PUT', '/user', { token: await tokenOf(again), body: { data: {} } })).status).toBe(401)
  })
})

it.each(['', 'x', '%00', 'a'.repeat(5000)])('no link %j does anything', async (token) => {
  expect((await open(encodeURIComponent(token))).status).toBe(410)
  expect((await undo(token)).status).toBe(410)
})
