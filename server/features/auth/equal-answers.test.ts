import { GoTrueAdminApi } from '@supabase/auth-js'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startAuthServer } from './testing/auth-server.ts'
import { type Answer, call, refusal, refusalCode } from './testing/call.ts'
import { newEmail } from './testing/register.ts'

const server = await closeAfterTests(startAuthServer())
const key = await server.accessTokens.signServiceKey()
const admin = new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers: { Authorization: `Bearer ${key}` } })

const password = 'correct horse'
/** An address of each kind that an outsider could try to tell apart. */
const addresses: Record<string, () => Promise<string>> = {
  unknown: async () => newEmail(),
  confirmed: async () => {
    const email = newEmail()
    await admin.createUser({ email, password, email_confirm: true })
    return email
  },
  unconfirmed: async () => {
    const email = newEmail()
    await admin.createUser({ email, password, user_metadata: { who: 'first' } })
    return email
  },
  banned: async () => {
    const email = newEmail()
    await admin.createUser({ email, password, email_confirm: true, ban_duration: '1h' })
    return email
  },
  changing: async () => {
    const email = newEmail()
    const { data } = await admin.createUser({ email, password, email_confirm: true })
    await server.db.pool.query('update auth.users set new_email = $2 where id = $1', [data.user?.id, newEmail()])
    return email
  },
}

/** What an outsider sees, with ids, times and the address itself made equal. */
const seen = ({ status, headers, text }: Answer, email: string) => ({
  status,
  // The length of the text is that of the address.
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'content-length'),
  text: text
    .replaceAll(email, 'ADDRESS')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
})

/** The mails that a request wrote, whether or not they were kept. */
async function writtenDuring<T>(work: () => Promise<T>): Promise<[T, number]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const result = await work()
    const texts = query.mock.calls.map(([first]) => (first as { text?: string }).text ?? String(first))
    return [result, texts.filter((text) => text.startsWith('insert into "mail_outbox"')).length]
  } finally {
    query.mockRestore()
  }
}

describe.each([
  ['/otp', {}, 1],
  ['/magiclink', {}, 1],
  ['/recover', {}, 1],
  ['/resend', { type: 'signup' }, 1],
  ['/resend', { type: 'email_change' }, 2],
])('POST %s %j', (path, fields, mails) => {
  it('answers alike and does the same work for every address', async () => {
    for (const [kind, address] of Object.entries(addresses)) {
      const email = await address()
      const [answer, written] = await writtenDuring(() => call(server, 'POST', path, { body: { email, ...fields } }))
      const { status, text } = seen(answer, email)
      expect([kind, status, text, written]).toEqual([kind, 200, '{}', mails])
    }
  })
})

it('the headers are the same for every address', async () => {
  for (const [path, fields] of [
    ['/otp', {}],
    ['/recover', {}],
    ['/resend', { type: 'signup' }],
    ['/signup', { password }],
  ] as const) {
    const headers = new Set<string>()
    for (const address of Object.values(addresses)) {
      const email = await address()
      const answer = await call(server, 'POST', path, { body: { email, ...fields } })
      headers.add(JSON.stringify(seen(answer, email).headers))
    }
    expect([path, headers.size]).toEqual([path, 1])
  }
})

describe('POST /signup', () => {
  const data = { zebra: 1, a: { nested: [1e3] }, full_name: 'Ada' }
  const signUp = async (kind: string) => {
    const email = await addresses[kind]!()
    const [answer, written] = await writtenDuring(() =>
      call(server, 'POST', '/signup', { body: { email, password, data } }),
    )
    return { ...seen(answer, email), body: answer.body, written, email }
  }

  it('shows an unconfirmed address as a new one, and nothing of who signed up first', async () => {
    const [first, second] = [await signUp('unknown'), await signUp('unconfirmed')]
    expect(second.text).toBe(first.text)
    expect(second.text).not.toContain('who')
    expect(second.written).toBeGreaterThanOrEqual(first.written)
  })

  it.each(['confirmed', 'banned'])(
    'shows a %s address as a new one without identities, and mails nobody',
    async (kind) => {
      const [first, second] = [await signUp('unknown'), await signUp(kind)]
      expect(first.body.identities).toHaveLength(1)
      const { identities, ...rest } = JSON.parse(first.text)
      expect(JSON.parse(second.text)).toEqual({ ...rest, identities: [] })
      expect(Object.keys(JSON.parse(second.text))).toEqual(Object.keys(JSON.parse(first.text)))
      expect(second.written).toBe(first.written)
      const { rows } = await server.db.pool.query('select id, user_metadata from auth.users where email = $1', [
        second.email,
      ])
      expect(rows).toHaveLength(1)
      expect(rows[0].id).not.toBe(second.body.id)
      expect(rows[0].user_metadata.full_name).toBeUndefined()
      await call(server, 'POST', '/otp', { body: { email: second.email } })
      await vi.waitUntil(() => server.mailbox?.list(second.email).length === 1, { timeout: 120_000 })
      expect(server.mailbox?.list(second.email)[0]?.subject).toBe('Your sign-in code')
    },
  )
})

it('nothing is left of an address that nobody has', async () => {
  const email = newEmail()
  await call(server, 'POST', '/recover', { body: { email } })
  await call(server, 'POST', '/resend', { body: { email, type: 'signup' } })
  const { rows } = await server.db.pool.query('select from auth.users where email = $1', [email])
  const { rows: tokens } = await server.db.pool.query('select from auth.one_time_tokens where relates_to = $1', [email])
  expect([rows, tokens]).toEqual([[], []])
})

it('also when the mails of the hour are used up', async () => {
  const few = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on', AUTH_MAILS_PER_HOUR: '1' } })
  const key = await few.accessTokens.signServiceKey()
  const operator = new GoTrueAdminApi({ url: `${few.url}/auth/v1`, headers: { Authorization: `Bearer ${key}` } })
  const known = newEmail()
  await operator.createUser({ email: known, email_confirm: true })
  await call(few, 'POST', '/recover', { body: { email: newEmail() } })
  for (const path of ['/recover', '/otp', '/resend'])
    for (const email of [known, newEmail()])
      expect([path, refusal(await call(few, 'POST', path, { body: { email, type: 'signup' } }))]).toEqual([
        path,
        '429 over_email_send_rate_limit: email rate limit exceeded',
      ])
  await few.close()
})

it('the exception that clients rely on: a code for existing accounts only', async () => {
  const ask = async (email: string) =>
    refusalCode(await call(server, 'POST', '/otp', { body: { email, create_user: false } }))
  expect(await ask(newEmail())).toBe('422 otp_disabled')
  expect(await ask(await addresses.confirmed!())).toBe('200 undefined')
})
