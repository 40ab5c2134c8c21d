import { GoTrueAdminApi } from '@supabase/auth-js'
import { TOTP } from 'otpauth'
import { type AuthServer, startAuthServer } from './auth-server.ts'
import { createBrowser } from './browser.ts'
import { call } from './call.ts'
import { readCodeMail } from './mail.ts'
import { newEmail, type Registered, registerByEmail } from './register.ts'
import { type SignedIn, signIn } from './sign-in.ts'
import { type SmsReceiver, startSmsReceiver } from './sms.ts'

export const PASSWORD = 'correct horse'

/** What happens after `mark()`, whose access it is, and the rows that it leaves: action and target, in order. */
export type Event = readonly [name: string, act: () => Promise<string>, rows: [action: string, target: unknown][]]

export const sessionOf = (token: string): string => JSON.parse(atob(token.split('.')[1]!)).session_id

/** A server with people to whom something happens, and its audit log. `start` comes before all else. */
export function auditScene() {
  let server: AuthServer
  let sms: SmsReceiver
  let admin: GoTrueAdminApi
  /** Everything that travelled and may stand nowhere. */
  const secrets = new Set<string>([PASSWORD])
  const secret = (text: string | undefined): string => {
    if (text) secrets.add(text)
    return text ?? ''
  }

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
  const linkGithub = async ({ client }: SignedIn) => {
    const { data, error } = await client.linkIdentity({
      provider: 'github',
      options: {
        redirectTo: `${server.url}/settings`,
        skipBrowserRedirect: true,
        queryParams: { login_hint: newEmail(), prompt: 'none' },
      },
    })
    if (error) throw error
    const end = await createBrowser().follow(data.url, ({ pathname }) => /^\/(auth\/v1|sandbox)\//.test(pathname))
    return secret(end.searchParams.get('code') ?? '')
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
    enrolled,
    mailed,
    linkGithub,
    get server() {
      return server
    },
    get admin() {
      return admin
    },
    lastSms: () => secret(sms.lastCode()),
    async start() {
      sms = await startSmsReceiver()
      server = await startAuthServer({ env: sms.env })
      const key = secret(await server.accessTokens.signServiceKey())
      admin = new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers: { Authorization: `Bearer ${key}` } })
    },
    async close() {
      await server?.close()
      sms?.close()
    },
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
