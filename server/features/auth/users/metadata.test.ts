import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'

const server = await closeAfterTests(startAuthServer({ env: { AUTH_AUTOCONFIRM: 'on' } }))

const password = 'correct horse battery staple 7'
const letters = (count: number) => 'x'.repeat(count)
const signUp = (email: string, data?: object) => call(server, 'POST', '/signup', { body: { email, password, data } })
const signIn = (email: string) => call(server, 'POST', '/token?grant_type=password', { body: { email, password } })
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

async function person(email: string) {
  const { body } = await signUp(email)
  const update = (data: object) => call(server, 'PUT', '/user', { body: { data }, token: body.access_token })
  return { id: body.user.id as string, update }
}

const tooLarge = (field: string) =>
  new RegExp(
    `^422 validation_failed: ${field} can have at most 4096 bytes of JSON, not \\d+\\. Store large values elsewhere; null removes a key$`,
  )

describe('metadata', () => {
  it('of more than 4 KB are refused at sign-up, in one change, and in the sum of changes', async () => {
    expect(refusal(await signUp('large@example.com', { a: letters(4090) }))).toMatch(tooLarge('data'))
    const code = await call(server, 'POST', '/otp', { body: { email: 'o@example.com', data: { a: letters(4090) } } })
    expect(refusal(code)).toMatch(tooLarge('data'))
    const { update } = await person('sum@example.com')
    expect(refusal(await update({ a: letters(20_000) }))).toMatch(tooLarge('data'))
    expect((await update({ a: letters(3_000) })).status).toBe(200)
    expect(refusal(await update({ b: letters(3_000) }))).toMatch(tooLarge('user_metadata'))
    expect((await update({ a: null, b: letters(3_000) })).status).toBe(200)
  })

  it('nested more deeply than anything can read are refused', async () => {
    const body = `{"email":"deep@example.com","data":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`
    expect(refusalCode(await call(server, 'POST', '/signup', { body }))).toBe('400 bad_json')
  })

  it('of a service key are limited too, of either kind', async () => {
    const token = await server.accessTokens.signServiceKey()
    const { id } = await person('admin@example.com')
    for (const field of ['user_metadata', 'app_metadata']) {
      const put = (value: object) => call(server, 'PUT', `/admin/users/${id}`, { body: { [field]: value }, token })
      expect(refusal(await put({ a: letters(4090) }))).toMatch(tooLarge(field))
      expect((await put({ a: letters(3_000) })).status).toBe(200)
      expect(refusal(await put({ b: letters(3_000) }))).toMatch(tooLarge(field))
    }
  })

  it('that grew without a limit keep nobody out, and can be mended step by step', async () => {
    const email = 'grown@example.com'
    const { id, update } = await person(email)
    await server.db.pool.query('update auth.users set user_metadata = user_metadata || $2::jsonb where id = $1', [
      id,
      JSON.stringify({ full_name: 'Ada', avatar_url: letters(600), a: letters(20_000), b: letters(20_000) }),
    ])
    const { body } = await signIn(email)
    expect(body.access_token.length).toBeLessThan(2_000)
    expect(claimsOf(body.access_token).user_metadata).toEqual({ full_name: 'Ada' })
    expect((await call(server, 'GET', '/user', { token: body.access_token })).body.user_metadata.a).toHaveLength(20_000)
    expect((await update({ c: 1 })).status).toBe(422)
    expect((await update({ a: null })).status).toBe(200)
    expect((await update({ b: null, avatar_url: null })).status).toBe(200)
    const mended = claimsOf((await signIn(email)).body.access_token)
    expect(mended.user_metadata).toMatchObject({ full_name: 'Ada', email })
  })

  it('that fit are in the token whole', async () => {
    await signUp('whole@example.com', { team: 'blue', more: letters(4_000) })
    const { body } = await signIn('whole@example.com')
    expect(claimsOf(body.access_token).user_metadata).toMatchObject({ team: 'blue', email: 'whole@example.com' })
  })

  it.each([
    ['full_name', 'Win at https://evil.example'],
    ['full_name', 'www.evil'],
    ['name', 'evil.example'],
    ['name', 'evil。example'],
    ['full_name', 'pay@evil'],
  ])('do not take an address for a name: %s %s', async (field, name) => {
    expect(refusal(await signUp(`${letters(5)}@example.com`, { [field]: name }))).toBe(
      `422 validation_failed: data.${field} may not contain a web address, an email address or anything like one`,
    )
  })

  it.each(['J. R. R. Tolkien', 'Dr. Ada King', 'J.R. Smith', '山田 太郎', "O'Neil-Łukasz Jr."])(
    'take %s for a name',
    async (full_name) => {
      const { update } = await person(`${Buffer.from(full_name).toString('hex')}@example.com`)
      expect((await update({ full_name })).status).toBe(200)
    },
  )
})
