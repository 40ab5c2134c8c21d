import { GoTrueAdminApi } from '@supabase/auth-js'
import { TOTP } from 'otpauth'
import { afterAll, expect } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from './auth-server.ts'
import { call } from './call.ts'
import { readCodeMail } from './mail.ts'
import { newEmail, type Registered, registerByEmail } from './register.ts'
import { linkGithub, type SignedIn, signIn } from './sign-in.ts'
import { startSmsReceiver } from './sms.ts'

export const PASSWORD = 'correct horse'

/** What happens, whose access it is, and the rows that it leaves: action and target, in order. */
export type Event = readonly [name: string, act: () => Promise<string>, rows: [action: string, target: unknown][]]

type Person = SignedIn | Registered

export const sessionOf = (token: string): string => JSON.parse(atob(token.split('.')[1]!)).session_id

/** A server with people to whom something happens, and its audit log. */
export async function auditScene() {
  const sms = await startSmsReceiver()
  afterAll(() => sms.close())
  const server = await closeAfterTests(startAuthServer({ env: sms.env }))
  /** Everything that travelled and may stand nowhere. */
  const secrets = new Set<string>([PASSWORD])
  const secret = (text: string | undefined): string => {
    if (text) secrets.add(text)
    return text ?? ''
  }

  const key = secret(await server.accessTokens.signServiceKey())
  const admin = new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers: { Authorization: `Bearer ${key}` } })

  let marker = 0
  /** What is written from here on belongs to the event. */
  const mark = async () => {
    const { rows } = await server.db.pool.query('select coalesce(max(id), 0) as id from audit_log')
    marker = Number(rows[0].id)
  }
  const written = async () =>
    (
      await server.db.pool.query(
        'select actor, subject, action, target, detail from audit_log where id > $1 order by id',
        [marker],
      )
    ).rows
  const later = (interval: string) => server.moveClock(interval)
  const post = (path: string, body: unknown, token?: string) => call(server, 'POST', path, { body, token })
  const put = (body: unknown, token?: string) => call(server, 'PUT', '/user', { body, token })

  const someone = async (): Promise<SignedIn> => {
    const made = await signIn(server.url, { provider: 'google', email: newEmail() })
    secret(made.session.access_token)
    secret(made.session.refresh_token)
    return made
  }
  const registered = async (): Promise<Registered> => {
    const made = await registerByEmail(server)
    secret(made.access_token)
    secret(made.refresh_token)
    return made
  }
  const codeOf = async (base32: string): Promise<string> => {
    const { rows } = await server.db.pool.query('select extract(epoch from app_now()) * 1000 as now')
    return secret(new TOTP({ secret: secret(base32) }).generate({ timestamp: Number(rows[0].now) }))
  }
  const beginEnrollment = async ({ client }: SignedIn) => {
    const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
    if (error) throw error
    secret(data.totp.secret)
    return { id: data.id, base32: data.totp.secret }
  }
  const enrolled = async (me: SignedIn) => {
    const { id, base32 } = await beginEnrollment(me)
    const code = await codeOf(base32)
    const { error } = await me.client.mfa.challengeAndVerify({ factorId: id, code })
    if (error) throw error
    return { id, code }
  }
  const mailed = async (to: string, count = 1) => {
    const mail = await readCodeMail(server, to, count)
    secret(mail.code)
    secret(mail.token)
    return mail
  }
  const linkedCode = async ({ client }: SignedIn) => {
    const end = await linkGithub(server.url, client, { email: newEmail() })
    return secret(end.searchParams.get('code') ?? '')
  }

  /** What `act` does to the person of `before` belongs to the event. */
  const after =
    <P extends Person>(before: () => Promise<P>, act: (person: P) => Promise<unknown>) =>
    async (): Promise<string> => {
      const person = await before()
      await mark()
      await act(person)
      return 'session' in person ? person.session.user.id : person.user.id
    }
  const beginning = async () => {
    const me = await someone()
    return { ...me, factor: await beginEnrollment(me) }
  }
  const enrolling = async () => {
    const me = await someone()
    return { ...me, factor: await enrolled(me) }
  }

  return {
    secrets,
    secret,
    mark,
    written,
    later,
    post,
    put,
    someone,
    registered,
    codeOf,
    beginEnrollment,
    mailed,
    linkedCode,
    server,
    admin,
    after,
    beginning,
    enrolling,
    lastSms: () => secret(sms.lastCode()),
    /** The secrets that stand in the log all the same. */
    async leaked(): Promise<string[]> {
      const { rows } = await server.db.pool.query('select * from audit_log')
      const log = JSON.stringify(rows)
      // Six digits occur in ids by chance.
      const words = new Set(log.split(/[^\w.-]+/))
      return [...secrets].filter((text) => (/^\d{6}$/.test(text) ? words.has(text) : log.includes(text)))
    },
  }
}

export const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/)
