import type { GoTrueClient } from '@supabase/auth-js'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { readCodeMail } from '../testing/mail.ts'
import { newEmail, registerByEmail } from '../testing/register.ts'
import { createClient } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

/** Opens the link of the newest mail to an address; the code that it leads to, if any. */
async function open(email: string, count = 1): Promise<string> {
  const { link } = await readCodeMail(server, email, count)
  const location = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? ''
  return new URL(location).searchParams.get('code') ?? ''
}

async function methodsAfter(client: GoTrueClient, code: string): Promise<unknown> {
  const { error } = await client.exchangeCodeForSession(code)
  expect(error).toBeNull()
  const methods = async () => (await client.getClaims()).data?.claims.amr
  const atStart = await methods()
  await client.refreshSession()
  // A refresh adds nothing.
  expect(await methods()).toEqual(atStart)
  return atStart
}

const redirectTo = () => `${server.url}/auth/callback`
const timestamp = expect.any(Number)

describe('a session that a mailed link begins is named after the link:', () => {
  it('magiclink', async () => {
    const { email } = await registerByEmail(server)
    const { client } = createClient(server.url)
    await client.signInWithOtp({ email, options: { emailRedirectTo: redirectTo() } })
    expect(await methodsAfter(client, await open(email, 2))).toEqual([{ method: 'magiclink', timestamp }])
  })

  it('recovery', async () => {
    const { email } = await registerByEmail(server)
    const { client } = createClient(server.url)
    await client.resetPasswordForEmail(email, { redirectTo: redirectTo() })
    expect(await methodsAfter(client, await open(email, 2))).toEqual([{ method: 'recovery', timestamp }])
  })

  it('email/signup, also for a person who asked for a code at a new address', async () => {
    const { client } = createClient(server.url)
    const email = newEmail()
    await client.signInWithOtp({ email, options: { emailRedirectTo: redirectTo() } })
    expect((await readCodeMail(server, email)).subject).toBe('Confirm your email address')
    expect(await methodsAfter(client, await open(email))).toEqual([{ method: 'email/signup', timestamp }])
  })

  it('email_change', async () => {
    const { email, password } = await registerByEmail(server)
    const { client } = createClient(server.url)
    await client.signInWithPassword({ email, password })
    const next = newEmail()
    await client.updateUser({ email: next }, { emailRedirectTo: redirectTo() })
    expect(await open(email, 2)).toBe('')
    expect(await methodsAfter(client, await open(next))).toEqual([{ method: 'email_change', timestamp }])
  })
})

it('the five minutes of a mailed link begin with the click', async () => {
  const { email } = await registerByEmail(server)
  const { client } = createClient(server.url)
  await client.resetPasswordForEmail(email, { redirectTo: redirectTo() })
  await server.moveClock('50 minutes')
  const code = await open(email, 2)
  await server.moveClock('299 seconds')
  expect((await client.exchangeCodeForSession(code)).error).toBeNull()
  await server.moveClock('1 hour')
  await client.resetPasswordForEmail(email, { redirectTo: redirectTo() })
  const late = await open(email, 3)
  await server.moveClock('301 seconds')
  expect((await client.exchangeCodeForSession(late)).error).toMatchObject({ status: 422, code: 'flow_state_expired' })
})
